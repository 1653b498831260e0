"""What a guard asks the driver, it asks each in its own way: the cases that depend on it, on every driver."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

from tests.guards import handlers
from tests.guards.claim_counts import DRIVERS, MODULES
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, apply, refused

CALLED = [name for name, (_, _, awaited) in DRIVERS.items() if not awaited]
Driven = tuple[Counter, str]


@pytest.fixture(params=CALLED)
def driven(request: pytest.FixtureRequest, counter_on: Callable[[str], Counter]) -> Driven:
    """A new message, and the name of a driver in a URL."""
    on, drivername, _ = DRIVERS[request.param]
    pytest.importorskip(MODULES.get(request.param, request.param))
    return counter_on(on), drivername


def sessions(driven: Driven, **options: object) -> sessionmaker[Session]:
    counter, drivername = driven
    return sessionmaker(create_engine(counter.engine.url.set(drivername=drivername), **options))


@pytest.mark.parametrize(
    "handler",
    [
        handlers.swallow,
        handlers.swallow_flush,
        handlers.COMMITS["connection"],
        handlers.ROLLBACKS["session"],
    ],
    ids=["swallow", "swallowed flush", "commit", "rollback"],
)
def test_what_parts_marker_and_effect_is_refused(driven: Driven, handler: Callable[[Session, str], None]) -> None:
    counter = driven[0]
    factory = sessions(driven)
    assert counter.deliver(handler, sessions=factory) == refused()
    assert counter.deliver(sessions=factory) == PROCESSED
    assert counter.deliver(sessions=factory) == DUPLICATE


# mariadb 1.1 gives up a reference to its connection that it does not hold when a cursor is collected as garbage: the
# process crashes some time after any error that is raised between the making of a cursor and its statement.
@pytest.mark.parametrize("driven", [name for name in CALLED if name != "mariadb"], indirect=True)
def test_statement_that_ends_the_transaction_is_refused(driven: Driven) -> None:
    counter = driven[0]
    factory = sessions(driven)
    assert counter.deliver(handlers.sending("COMMIT"), sessions=factory) == refused()
    assert counter.deliver(sessions=factory) == PROCESSED
    assert counter.deliver(sessions=factory) == DUPLICATE


def test_error_in_a_savepoint_is_the_handlers_own(driven: Driven) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        with pytest.raises(Exception), session.begin_nested():  # noqa: B017 - each driver has its own
            handlers.violate(session)

    assert driven[0].deliver(handle, sessions=sessions(driven)) == PROCESSED


def test_autocommit_is_refused(driven: Driven) -> None:
    assert driven[0].deliver(sessions=sessions(driven, isolation_level="AUTOCOMMIT")) == refused()
    driven[0].assert_intact()


@pytest.mark.parametrize("driven", [name for name in CALLED if name not in ("psycopg2", "pg8000")], indirect=True)
def test_autocommit_of_the_driver_is_refused(driven: Driven) -> None:
    arguments = {"isolation_level": None} if driven[0].on == "sqlite" else {"autocommit": True}
    assert driven[0].deliver(sessions=sessions(driven, connect_args=arguments)) == refused()
    driven[0].assert_intact()
