"""COMMIT fails, or nobody knows: the error is raised, and the marker decides at the next delivery."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.delivery import PROCESSED, Counter, Ending, apply, refused

_KILL = {
    "postgresql": ("SELECT pg_backend_pid()", "SELECT pg_terminate_backend({})"),
    "mariadb": ("SELECT connection_id()", "KILL {}"),
}


def verdict(counter: Counter, ending: Ending) -> str:
    assert ending.error
    return str(counter.package.classify(ending.error).name)


@pytest.mark.parametrize("on", _KILL)
def test_connection_killed_at_commit(counter_on: Callable[[str], Counter], on: str) -> None:
    counter = counter_on(on)
    engine = create_engine(counter.engine.url)

    @event.listens_for(engine, "commit")
    def kill_it(connection: Connection) -> None:
        _kill(counter, connection)

    ending = counter.deliver(sessions=sessionmaker(engine))
    event.remove(engine, "commit", kill_it)
    assert (ending.credits, ending.markers) == (0, 0)
    assert verdict(counter, ending) == "TRANSIENT"
    assert counter.deliver(sessions=sessionmaker(engine)) == PROCESSED
    engine.dispose()


def _kill(counter: Counter, connection: Connection) -> None:
    """Let the server end a connection."""
    who, kill = _KILL[counter.on]
    cursor = connection.connection.cursor()
    cursor.execute(who)
    with counter.engine.connect() as other:
        other.execute(text(kill.format(cursor.fetchone()[0])))  # type: ignore[index]


@pytest.mark.parametrize("on", _KILL)
def test_connection_killed_before_the_commit(counter_on: Callable[[str], Counter], on: str) -> None:
    """The look at the transaction is what fails on MariaDB; its cause tells the verdict."""
    counter = counter_on(on)

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        _kill(counter, session.connection())

    ending = counter.deliver(handle)
    assert ending == refused("AtomicityError" if on == "mariadb" else "OperationalError")
    assert verdict(counter, ending) == "TRANSIENT"
    counter.assert_intact()


@pytest.mark.parametrize("on", ["postgresql", "sqlite"])
def test_deferred_constraint(spoilt_on: Callable[[str], Counter], on: str) -> None:
    counter = spoilt_on(on)
    with counter.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE lines (order_id INTEGER REFERENCES orders (id) DEFERRABLE INITIALLY DEFERRED)"
        )

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(text("INSERT INTO lines VALUES (-1)"))

    if on == "sqlite":
        event.listen(counter.engine, "checkout", lambda driver, *_: driver.execute("PRAGMA foreign_keys = ON"))
    assert counter.deliver(handle) == refused("IntegrityError")
    counter.assert_intact()


def test_serialization_failure_at_commit(counter_on: Callable[[str], Counter]) -> None:
    """Each reads what the other writes: PostgreSQL refuses one of them, at COMMIT at the latest."""
    counter = counter_on("postgresql")
    engine = create_engine(counter.engine.url, isolation_level="SERIALIZABLE")

    def handle(session: Session, message: str) -> None:
        count = text("SELECT count(*) FROM credits")
        session.execute(count)
        with engine.connect() as rival:
            rival.execute(count)
            rival.execute(text("INSERT INTO credits (message) VALUES ('a rival''s')"))
            apply(session, message)
            rival.commit()

    ending = counter.deliver(handle, sessions=sessionmaker(engine))
    assert (ending.credits, ending.markers) == (0, 0)
    assert verdict(counter, ending) == "TRANSIENT"
    counter.assert_intact()
    engine.dispose()


def busy_at_commit(counter: Counter) -> tuple[BaseException, Ending]:
    """Let a reader keep SQLite from its COMMIT; then deliver another message, then this one, on the same connection."""
    engine = create_engine(counter.engine.url, pool_size=1, max_overflow=0, connect_args={"timeout": 0.1})
    sessions = sessionmaker(engine)
    reader = sqlite3.connect(str(engine.url.database))
    reader.execute("INSERT INTO credits (message) VALUES ('one'), ('two'), ('three')")
    reader.commit()
    reading = reader.execute("SELECT * FROM credits")
    reading.fetchone()
    consume = counter.package.runtime.consume
    with pytest.raises(DBAPIError) as busy:
        consume(sessions, "credit", counter.key, counter.message, apply)
    reading.close()
    reader.close()
    consume(sessions, "credit", counter.package.MessageKey(message_id="another"), "another", apply)
    said = consume(sessions, "credit", counter.key, counter.message, apply).outcome.name
    engine.dispose()
    return busy.value, counter.ending(said)


def test_busy_at_commit_leaves_nothing_in_the_pool(spoilt_on: Callable[[str], Counter]) -> None:
    counter = spoilt_on("sqlite")
    error, later = busy_at_commit(counter)
    assert counter.package.classify(error).name == "TRANSIENT"
    assert later == PROCESSED


def test_statement_timeout_in_the_claim(counter_on: Callable[[str], Counter]) -> None:
    counter = counter_on("postgresql")
    impatient = create_engine(counter.engine.url, connect_args={"options": "-c statement_timeout=200"})
    ends: list[Ending] = []

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        ends.append(counter.deliver(sessions=sessionmaker(impatient)))
        raise ValueError

    counter.deliver(handle)
    assert ends == [refused("OperationalError")]
    assert verdict(counter, ends[0]) == "TRANSIENT"
    assert counter.deliver(sessions=sessionmaker(impatient)) == PROCESSED
    impatient.dispose()


def test_disk_that_is_full(tmp_path: Path, spoilt_on: Callable[[str], Counter]) -> None:
    counter = spoilt_on("sqlite")
    _limit_pages(counter.engine)

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(text("INSERT INTO orders (number) VALUES (:number)"), {"number": uuid4().hex * 10_000})

    ending = counter.deliver(handle)
    assert (ending.credits, ending.markers) == (0, 0)
    assert verdict(counter, ending) == "TRANSIENT"
    counter.assert_intact()


def _limit_pages(engine: Engine) -> None:
    event.listen(engine, "checkout", lambda driver, *_: driver.execute("PRAGMA max_page_count = 40"))
