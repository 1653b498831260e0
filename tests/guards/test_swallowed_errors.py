"""A handler that goes on after a database error is refused; what fails inside a savepoint is its own affair."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread

import pytest
from sqlalchemy import insert, inspect, text, update
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import Session

from tests.guards import handlers
from tests.guards.delivery import PROCESSED, Counter, Ending, apply, refused
from tests.races import shop

SWALLOWS = {
    "statement": handlers.swallow,
    "statement, and more after it": handlers.swallow_and_go_on,
    "flush": handlers.swallow_flush,
    "savepoint too late": handlers.swallow_before_a_savepoint,
}


@pytest.mark.parametrize("way", SWALLOWS)
def test_swallowed_error_is_refused(counter: Counter, way: str) -> None:
    assert counter.deliver(SWALLOWS[way]) == refused()
    counter.assert_intact()


def test_error_that_only_the_driver_saw_is_refused(counter_on: Callable[[str], Counter]) -> None:
    """PostgreSQL would commit nothing, and say nothing."""
    counter = counter_on("postgresql")
    assert counter.deliver(handlers.swallow_unseen) == refused()
    counter.assert_intact()


def _nested(session: Session, message: str) -> None:
    apply(session, message)
    with suppress(DBAPIError), session.begin_nested():
        handlers.violate(session)


def _nested_twice(session: Session, message: str) -> None:
    with session.begin_nested():
        _nested(session, message)


def _nested_outer(session: Session, message: str) -> None:
    apply(session, message)
    with suppress(DBAPIError), session.begin_nested(), session.begin_nested():
        handlers.violate(session)


def _nested_flush(session: Session, message: str) -> None:
    apply(session, message)
    with suppress(DBAPIError), session.begin_nested():
        session.add_all([handlers.Order(number=handlers.TAKEN), handlers.Order(number=handlers.TAKEN)])


def _nested_and_released(session: Session, message: str) -> None:
    with session.begin_nested():
        apply(session, message)


def _nested_by_connection(session: Session, message: str) -> None:
    apply(session, message)
    savepoint = session.connection().begin_nested()
    try:
        handlers.violate(session)
    except DBAPIError:
        savepoint.rollback()


def _raw_savepoint(session: Session, message: str) -> None:
    apply(session, message)
    session.execute(text("SAVEPOINT a_try"))
    try:
        handlers.violate(session)
    except DBAPIError:
        session.execute(text("ROLLBACK TO SAVEPOINT a_try"))


def _raw_savepoint_short(session: Session, message: str) -> None:
    apply(session, message)
    session.execute(text("savepoint a_try"))
    try:
        handlers.violate(session)
    except DBAPIError:
        session.execute(text("rollback to a_try;"))
        session.execute(text("release savepoint a_try"))


def _rolled_back_by_choice(session: Session, message: str) -> None:
    apply(session, message)
    savepoint = session.begin_nested()
    apply(session, message)
    savepoint.rollback()


def _left_open(session: Session, message: str) -> None:
    session.begin_nested()
    apply(session, message)


def _after_a_long_comment(session: Session, message: str) -> None:
    """A pattern with two ways to read a hyphen would try them all."""
    apply(session, message)
    with suppress(DBAPIError), session.begin_nested():
        with suppress(DBAPIError):
            handlers.violate(session)
        # Read for a savepoint where it succeeds, which it does not on PostgreSQL.
        session.execute(text(f"--{'-' * 200}\n/* {'*' * 200} */ SELECT 1"))
        handlers.violate(session)


FINE = [
    _nested,
    _left_open,
    _after_a_long_comment,
    _nested_twice,
    _nested_outer,
    _nested_flush,
    _nested_and_released,
    _nested_by_connection,
    _raw_savepoint,
    _raw_savepoint_short,
    _rolled_back_by_choice,
]


@pytest.mark.parametrize("handle", FINE)
def test_error_in_a_savepoint_is_the_handlers_own(counter: Counter, handle: Callable[[Session, str], None]) -> None:
    assert counter.deliver(handle) == PROCESSED


def no_parameter(session: Session, message: str) -> None:
    apply(session, message)
    with suppress(StatementError):
        session.execute(text("SELECT :missing"))


def missing_table(session: Session, message: str) -> None:
    apply(session, message)
    assert not inspect(session.connection()).has_table("missing")


@pytest.mark.parametrize("handle", [no_parameter, missing_table])
def test_error_that_the_server_does_not_count(counter: Counter, handle: Callable[[Session, str], None]) -> None:
    assert counter.deliver(handle) == PROCESSED


def deadlocked(counter: Counter, *, in_savepoint: bool) -> Ending:
    """Deliver to a handler that swallows MariaDB's 1213, which has ended the whole transaction."""
    rows = [f"{counter.message} {row}" for row in "ab"]
    with counter.engine.begin() as connection:
        for row in rows:
            connection.execute(insert(shop.orders).values(number=row))
    has_first, may_go_on = Event(), Event()

    def touch(row: str) -> object:
        return update(shop.orders).where(shop.orders.c.number == row).values(number=row)

    def rival() -> None:
        with counter.engine.connect() as connection:
            # The victim is the one that has changed less.
            for _ in range(100):
                connection.execute(shop.credit("a rival's"))
            connection.execute(update(shop.orders).where(shop.orders.c.number == rows[1]).values(number=rows[1] + "'"))
            has_first.set()
            may_go_on.wait()
            connection.execute(update(shop.orders).where(shop.orders.c.number == rows[0]).values(number=rows[0] + "'"))
            connection.rollback()

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(shop.credit("before"))
        session.execute(text("SELECT number FROM orders WHERE number = :row FOR UPDATE"), {"row": rows[0]})
        has_first.wait()
        may_go_on.set()
        select = text("SELECT number FROM orders WHERE number = :row FOR UPDATE")
        with pytest.raises(DBAPIError, match=r"1213|1305"):
            if in_savepoint:
                with session.begin_nested():
                    session.execute(select, {"row": rows[1]})
            else:
                session.execute(select, {"row": rows[1]})
        session.connection().execute(shop.credit(message))

    thread = Thread(target=rival)
    thread.start()
    try:
        return counter.deliver(handle)
    finally:
        may_go_on.set()
        thread.join()


@pytest.mark.parametrize("in_savepoint", [False, True], ids=["plain", "savepoint"])
def test_swallowed_deadlock_is_refused(counter_on: Callable[[str], Counter], in_savepoint: bool) -> None:
    counter = counter_on("mariadb")
    ending = deadlocked(counter, in_savepoint=in_savepoint)
    assert (ending.credits, ending.markers) == (0, 0), ending
    assert ending.said == "AtomicityError", repr(ending.error)
    counter.assert_intact()
