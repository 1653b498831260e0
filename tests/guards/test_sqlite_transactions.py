"""The ways to begin a transaction on SQLite: the driver's old one, an engine's event, and Python 3.12's mode."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, apply, refused
from tests.races import shop


@pytest.fixture
def counter(counter_on: Callable[[str], Counter]) -> Counter:
    """A new message on SQLite."""
    return counter_on("sqlite")


def _begun_by_event(counter: Counter, statement: str) -> Engine:
    """SQLAlchemy's recipe for transactions of its own: https://docs.sqlalchemy.org/en/21/dialects/sqlite.html"""
    engine = create_engine(counter.engine.url)

    @event.listens_for(engine, "connect")
    def keep_the_driver_out(driver: Any, _: object) -> None:
        driver.isolation_level = None

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql(statement)

    return engine


@pytest.mark.parametrize("statement", ["BEGIN", "BEGIN IMMEDIATE"])
def test_transaction_begun_by_an_event_is_fine(counter: Counter, statement: str) -> None:
    sessions = sessionmaker(_begun_by_event(counter, statement))

    def fail(session: Session, message: str) -> None:
        apply(session, message)
        raise ValueError

    assert counter.deliver(fail, sessions=sessions) == refused("ValueError")
    assert counter.deliver(sessions=sessions) == PROCESSED
    assert counter.deliver(sessions=sessions) == DUPLICATE


if sys.version_info >= (3, 12):  # sqlite3.connect has no autocommit before

    @pytest.mark.parametrize(("autocommit", "fine"), [(False, True), (True, False)])
    def test_mode_of_python_312(counter: Counter, autocommit: bool, fine: bool) -> None:
        sessions = sessionmaker(create_engine(counter.engine.url, connect_args={"autocommit": autocommit}))
        assert counter.deliver(sessions=sessions) == (PROCESSED if fine else refused())
        assert counter.deliver() == (DUPLICATE if fine else PROCESSED)


def test_transaction_begun_by_an_event_beside_the_driver(counter: Counter) -> None:
    """BEGIN IMMEDIATE, so that no writer waits in vain, and the rest as the driver does it."""
    engine = create_engine(counter.engine.url)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    sessions = sessionmaker(engine)
    assert [counter.deliver(sessions=sessions) for _ in range(2)] == [PROCESSED, DUPLICATE]


def test_hook_that_writes_before_the_marker(counter: Counter) -> None:
    sessions = sessionmaker(counter.engine)
    event.listen(sessions, "after_begin", lambda session, _, connection: connection.execute(shop.credit("hook")))
    assert [counter.deliver(sessions=sessions) for _ in range(2)] == [PROCESSED, DUPLICATE]


def test_several_statements_at_once_are_seen_by_the_driver_alone(counter: Counter) -> None:
    """`executescript` commits first, which only the end of the transaction tells: raised, if too late to undo."""

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.connection().connection.driver_connection.executescript("SELECT 1")  # type: ignore[union-attr]

    assert counter.deliver(handle).said == "AtomicityError"


def test_ddl_is_part_of_the_transaction(counter: Counter) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(text(f"CREATE TABLE t{message} (id INTEGER)"))
        raise ValueError

    assert counter.deliver(handle) == refused("ValueError")
    with counter.engine.connect() as connection:
        assert not connection.dialect.has_table(connection, f"t{counter.message}")
