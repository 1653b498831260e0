"""Applications that use SQLAlchemy in their own way: hooks, unfinished handlers, shared connections, odd drivers."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import StaticPool

from tests.generated import SYNC, generated
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, apply, refused
from tests.races import shop


async def _coroutine(session: Session, message: str) -> None:
    apply(session, message)


def _generator(session: Session, message: str) -> Generator[None]:
    apply(session, message)
    yield


@pytest.mark.parametrize("handler", [_coroutine, _generator], ids=["async def", "yield"])
@pytest.mark.filterwarnings("ignore:coroutine")
def test_handler_whose_body_never_runs_is_refused(counter: Counter, handler: Callable[..., Any]) -> None:
    assert counter.deliver(handler) == refused("TypeError")
    counter.assert_intact()


def test_error_that_a_listener_swallows_before_the_commit(counter: Counter) -> None:
    sessions = sessionmaker(counter.engine)

    @event.listens_for(sessions, "before_commit")
    def audit(session: Session) -> None:
        with suppress(DBAPIError):
            session.execute(text("INSERT INTO no_such_table VALUES (1)"))

    assert counter.deliver(sessions=sessions) == refused()
    counter.assert_intact()


def hidden_at_commit(counter: Counter) -> Ending:
    """A listener of the engine comes after the last look at what the handler did."""

    def audit(connection: Connection) -> None:
        with suppress(DBAPIError):
            connection.execute(text("INSERT INTO no_such_table VALUES (1)"))

    event.listen(counter.engine, "commit", audit)
    try:
        return counter.deliver()
    finally:
        event.remove(counter.engine, "commit", audit)


def test_error_that_a_listener_of_the_commit_hides(counter: Counter) -> None:
    ending = hidden_at_commit(counter)
    if counter.on == "postgresql":  # which has committed nothing, and said nothing
        assert ending == refused()
        counter.assert_intact()
    else:
        assert ending == Ending("AtomicityError", 1, 1)
        assert counter.deliver() == DUPLICATE


@pytest.mark.parametrize("on", ["postgresql", "mariadb"])  # SQLite has one writer, so no delivery within another
def test_guards_of_two_packages_leave_each_other_alone(counter_on: Callable[..., Counter], on: str) -> None:
    counter = counter_on(on)
    other = counter_on(on, generated(SYNC + "table: other_inbox\n"))
    other.package.models.Base.metadata.create_all(other.engine)

    def fail(session: Session, message: str) -> None:
        raise LookupError(message)

    def handler(session: Session, message: str) -> None:
        apply(session, message)
        ends = [other.deliver(fail), other.deliver(), other.deliver()]
        assert ends == [refused("LookupError"), PROCESSED, DUPLICATE]

    assert counter.deliver(handler) == PROCESSED


def test_hook_that_sends_statements_of_its_own(counter: Counter) -> None:
    sent: list[str] = []

    def trace(connection: Connection, cursor: Any, sql: str, *_: Any) -> None:
        if "trace" not in sql and not sent:
            sent.append(sql)
            connection.execute(text("SELECT 'trace'"))

    event.listen(counter.engine, "before_cursor_execute", trace)
    try:
        assert counter.deliver() == PROCESSED
    finally:
        event.remove(counter.engine, "before_cursor_execute", trace)
    assert sent


def test_statement_after_an_escaped_quote(counter_on: Callable[..., Counter]) -> None:
    counter = counter_on("postgresql")

    def handler(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(text(r"SELECT E'\''; COMMIT; SELECT ''"))

    assert counter.deliver(handler) == refused()
    counter.assert_intact()


def test_savepoint_in_another_case_heals_nothing(counter_on: Callable[..., Counter]) -> None:
    counter = counter_on("sqlite")

    def handler(session: Session, message: str) -> None:
        apply(session, message)
        try:
            session.execute(text("INSERT INTO no_such_table VALUES (1)"))
        except DBAPIError:
            session.execute(text("SAVEPOINT Late"))
            session.execute(text("ROLLBACK TO late"))

    assert counter.deliver(handler) == refused()
    counter.assert_intact()


def test_driver_that_the_spec_leaves_out(counter_on: Callable[..., Counter]) -> None:
    counter = counter_on("postgresql", generated(SYNC + "drivers: [pg8000, pymysql]\n"))
    ending = counter.deliver()
    assert ending == refused()
    assert "psycopg" in str(ending.error)


@pytest.fixture
def in_memory(counter_on: Callable[..., Counter]) -> Counter:
    """A database in memory, where every session has the one connection that there is."""
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    counter = replace(counter_on("sqlite"), engine=engine)
    counter.package.models.Base.metadata.create_all(engine)
    shop.metadata.create_all(engine)
    return counter


def test_one_connection_for_all_sessions(in_memory: Counter) -> None:
    assert [in_memory.deliver(), in_memory.deliver()] == [PROCESSED, DUPLICATE]


def test_delivery_in_the_transaction_of_another(in_memory: Counter) -> None:
    """The inner commit would make the outer marker durable, whatever became of the outer effect."""
    other = replace(in_memory, message=uuid4().hex)

    def handler(session: Session, message: str) -> None:
        inner = other.deliver()
        assert inner.said == "AtomicityError"
        assert inner.error
        raise inner.error

    assert in_memory.deliver(handler) == refused()
    in_memory.assert_intact()


def test_modes_of_python_3_12(in_memory: Counter) -> None:
    """Python 3.11's sqlite3 has no `autocommit`; a connection that says it has is enough to ask."""

    class Modern(sqlite3.Connection):
        autocommit = True

    engine = _engine(Modern)
    in_memory.package.models.Base.metadata.create_all(engine)
    shop.metadata.create_all(engine)
    assert replace(in_memory, engine=engine).deliver().said == "AtomicityError"


def _engine(factory: type[sqlite3.Connection]) -> Engine:
    return create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"factory": factory, "check_same_thread": False}
    )
