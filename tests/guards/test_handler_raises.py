"""What the handler raises is raised on, whatever it looks like, and nothing of the delivery stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from tests.guards import handlers
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, Handler, apply, refused


class Refusal(Exception):
    """The handler's own."""


def _raise_first(session: Session, message: str) -> None:
    raise Refusal(message)


def _raise_last(session: Session, message: str) -> None:
    apply(session, message)
    raise Refusal(message)


def _raise_in_a_savepoint(session: Session, message: str) -> None:
    apply(session, message)
    with session.begin_nested():
        apply(session, message)
        raise Refusal(message)


def _raise_after_an_error(session: Session, message: str) -> None:
    apply(session, message)
    with suppress(DBAPIError):
        handlers.violate(session)
    raise Refusal(message)


@pytest.mark.parametrize("handle", [_raise_first, _raise_last, _raise_in_a_savepoint, _raise_after_an_error])
def test_handlers_error_is_raised_on(counter: Counter, handle: Handler) -> None:
    ending = counter.deliver(handle)
    assert ending == refused("Refusal")
    assert str(ending.error) == counter.message
    counter.assert_intact()


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_interruption_is_raised_on(counter: Counter, interrupt: type[BaseException]) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        raise interrupt

    with pytest.raises(interrupt):
        counter.deliver(handle)
    counter.assert_intact()


def _violate_by_statement(session: Session, message: str) -> None:
    apply(session, message)
    handlers.violate(session)


def _violate_by_flush(session: Session, message: str) -> None:
    apply(session, message)
    session.add_all([handlers.Order(number=handlers.TAKEN), handlers.Order(number=handlers.TAKEN)])


@pytest.mark.parametrize("handle", [_violate_by_statement, _violate_by_flush])
def test_business_violation_is_raised_on(counter: Counter, handle: Handler) -> None:
    ending = counter.deliver(handle)
    assert ending == refused("IntegrityError")
    assert ending.error
    assert counter.package.classify(ending.error).name == "CONFLICT"
    counter.assert_intact()


@pytest.mark.parametrize("by_flush", [False, True], ids=["statement", "flush"])
def test_marker_that_the_handler_writes_makes_no_duplicate(counter: Counter, by_flush: bool) -> None:
    """`classify` would say DUPLICATE, and is not asked: nobody else has done the work."""
    ending = counter.deliver(handlers.write_marker(counter, by_flush=by_flush, swallow=False))
    assert ending == refused("IntegrityError")
    assert ending.error
    assert counter.package.classify(ending.error).name == "DUPLICATE"
    counter.assert_intact()


def test_marker_that_the_handler_writes_unheard_is_refused(counter: Counter) -> None:
    assert counter.deliver(handlers.write_marker(counter)) == refused()
    counter.assert_intact()


def test_handler_may_take_the_message_for_another_consumer(counter_on: Callable[[str], Counter]) -> None:
    """In a session of its own, so the two are done or not done each by itself."""
    for on in ("postgresql", "mariadb"):
        counter = counter_on(on)
        ends: list[Ending] = []

        def handle(session: Session, message: str, counter: Counter = counter, ends: list[Ending] = ends) -> None:
            ends.append(counter.deliver(consumer="email"))
            apply(session, message)

        assert counter.deliver(handle) == Ending("PROCESSED", 2, 2)
        assert ends == [PROCESSED]
        assert counter.deliver(handle) == Ending("DUPLICATE", 2, 2)


def test_pending_objects_are_flushed_with_the_marker(counter: Counter) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.add(handlers.Order(number=message))

    assert counter.deliver(handle) == PROCESSED
    assert counter.deliver(handle) == DUPLICATE


def _returns_something(session: Session, message: str) -> object:
    apply(session, message)
    return "done"


def _is_a_generator(session: Session, message: str) -> Iterator[None]:
    apply(session, message)
    yield


async def _is_awaited(session: Session, message: str) -> None:
    apply(session, message)


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.parametrize("handle", [_returns_something, _is_a_generator, _is_awaited])
def test_handler_that_may_not_have_run_is_refused(counter: Counter, handle: Handler) -> None:
    """A generator or a coroutine has done nothing yet."""
    assert counter.deliver(handle) == refused("TypeError")
    counter.assert_intact()


def test_listener_of_the_application_is_watched_too(counter: Counter) -> None:
    """It runs in the commit, after the handler, and swallows an error as a handler might."""
    sessions = sessionmaker(counter.engine)

    @event.listens_for(sessions, "before_commit")
    def swallow(session: Session) -> None:
        with suppress(DBAPIError):
            handlers.violate(session)

    assert counter.deliver(sessions=sessions) == refused()
    counter.assert_intact()


def test_rollback_while_an_error_is_handled_is_refused(counter: Counter) -> None:
    """As in a worker's own retry, which delivers again from its `except`."""
    try:
        raise LookupError
    except LookupError:
        assert counter.deliver(handlers.roll_back_and_apply) == refused()
    counter.assert_intact()


def test_skeleton_is_no_handler_yet(counter: Counter) -> None:
    """What is generated for the user to fill in raises, so that no message is lost by it."""
    with pytest.raises(NotImplementedError):
        counter.package.consume_credit(sessionmaker(counter.engine), counter.key, {})
    counter.assert_intact()
