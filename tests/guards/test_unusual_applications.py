"""Applications that use SQLAlchemy in their own way: hooks, unfinished handlers, shared connections, odd drivers."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, SessionTransaction, sessionmaker

from tests.generated import SYNC, generated
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, apply, refused


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


def test_listener_of_the_commit_that_ends_the_transaction(counter: Counter) -> None:
    sessions = sessionmaker(counter.engine)

    @event.listens_for(sessions, "before_commit")
    def end(session: Session) -> None:
        with suppress(Exception):
            session.execute(text("COMMIT"))

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


@pytest.mark.parametrize(
    ("savepoint", "back"),
    [
        ("SAVEPOINT s", "ROLLBACK TO s"),
        ("/* 1 */ SAVEPOINT s", "-- 2\nROLLBACK TO s"),
        ("SAVEPOINT s", "ROLLBACK TO `s`"),
    ],
)
def test_savepoint_of_the_handlers_own_heals(counter: Counter, savepoint: str, back: str) -> None:
    if counter.on == "postgresql":
        back = back.replace("`", '"')

    def handler(session: Session, message: str) -> None:
        session.execute(text(savepoint))
        with suppress(DBAPIError):
            session.execute(text("INSERT INTO no_such_table VALUES (1)"))
        session.execute(text(back))
        apply(session, message)

    assert counter.deliver(handler) == PROCESSED


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


def test_listener_that_fails_after_the_commit(counter: Counter) -> None:
    """An error is raised though the message is done: its next delivery is a duplicate."""
    sessions = sessionmaker(counter.engine)

    @event.listens_for(sessions, "after_commit")
    def fail(session: Session) -> None:
        raise LookupError

    ending = counter.deliver(sessions=sessions)
    assert ending == Ending("InvalidRequestError", 1, 1)  # SQLAlchemy's, of a session that cannot be rolled back now
    assert ending.error
    assert isinstance(ending.error.__context__, LookupError)
    assert counter.deliver() == DUPLICATE


def working_after_the_commit(counter: Counter) -> Ending:
    """A listener that reads in a transaction of its own, once the delivery's has ended."""
    sessions = sessionmaker(counter.engine)

    @event.listens_for(sessions, "after_transaction_end")
    def audit(session: Session, transaction: SessionTransaction) -> None:
        if transaction.parent is None and not counts:
            counts.append(session.scalar(text("SELECT count(*) FROM credits")))

    counts: list[int] = []
    ending = counter.deliver(sessions=sessions)
    assert counts
    return ending


def test_listener_that_works_after_the_commit(counter: Counter) -> None:
    assert working_after_the_commit(counter) == PROCESSED
    assert counter.deliver() == DUPLICATE


def test_detached_connection(counter: Counter) -> None:
    def handler(session: Session, message: str) -> None:
        session.connection().detach()
        apply(session, message)

    assert counter.deliver(handler) == PROCESSED
