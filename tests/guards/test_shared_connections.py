"""Deliveries whose session or connection is not theirs alone: shared by a factory, by a pool, by another delivery."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.orm import Session, scoped_session, sessionmaker
from sqlalchemy.pool import StaticPool

from tests.generated import SYNC, generated
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, Handler, apply, refused
from tests.guards.handlers import after_applying
from tests.races import shop


def with_one_connection(counter: Counter) -> Counter:
    """A database in memory, where every session has the one connection that there is."""
    engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
    counter.package.models.Base.metadata.create_all(engine)
    shop.metadata.create_all(engine)
    return replace(counter, engine=engine)


@pytest.fixture
def in_memory(counter_on: Callable[..., Counter]) -> Counter:
    """A new message in such a database."""
    return with_one_connection(counter_on("sqlite"))


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


def nested_in_one_session(counter: Counter) -> Ending:
    """A factory that gives each thread one session, and a delivery within a delivery: its commit ends both."""
    sessions = scoped_session(sessionmaker(counter.engine))
    other = replace(counter, message=uuid4().hex)

    def handler(session: Session, message: str) -> None:
        other.deliver(sessions=sessions)  # type: ignore[arg-type]
        apply(session, message)

    return counter.deliver(handler, sessions=sessions)  # type: ignore[arg-type]


def test_delivery_in_the_session_of_another(counter: Counter) -> None:
    assert nested_in_one_session(counter) == refused()
    counter.assert_intact()


def begun_before(counter: Counter) -> Ending:
    """A session with work of before, which a delivery would commit, or lose where it is a duplicate."""
    with Session(counter.engine) as session:
        session.execute(text("SELECT 1"))
        return counter.deliver(sessions=lambda: session)  # type: ignore[arg-type]


def test_session_with_work_of_before(counter: Counter) -> None:
    ending = begun_before(counter)
    assert ending == refused()
    assert "already" in str(ending.error)
    counter.assert_intact()


def commit_beside(counter: Counter) -> Ending:
    """Another session of the handler's, on the one connection that there is, commits the marker too."""

    def handler(session: Session, message: str) -> None:
        with suppress(Exception), Session(counter.engine) as beside:
            beside.execute(shop.credit(message))
            beside.commit()
        raise LookupError(message)

    return counter.deliver(handler)


def test_commit_of_another_session_on_one_connection(in_memory: Counter) -> None:
    assert commit_beside(in_memory) == refused("LookupError")
    in_memory.assert_intact()


def test_commit_of_another_session_before_that_of_the_delivery(in_memory: Counter) -> None:
    """It would make marker and effect durable, and the delivery's own commit would find nothing left."""
    sessions = sessionmaker(in_memory.engine)

    @event.listens_for(sessions, "before_commit")
    def audit(session: Session) -> None:
        with suppress(Exception), Session(in_memory.engine) as beside:
            beside.execute(text("SELECT 1"))
            beside.commit()

    assert in_memory.deliver(sessions=sessions) == refused()
    in_memory.assert_intact()


def close_beside(counter: Counter) -> Ending:
    """Another session of the handler's, on the one connection that there is, takes the marker back as it is closed."""

    def handler(session: Session, message: str) -> None:
        with Session(counter.engine) as beside:
            beside.execute(text("SELECT 1"))
        apply(session, message)

    return counter.deliver(handler)


def test_close_of_another_session_on_one_connection(in_memory: Counter) -> None:
    assert close_beside(in_memory) == refused()
    in_memory.assert_intact()


def joined_to_a_transaction(counter: Counter, mode: str = "conditional_savepoint") -> Ending:
    """A session in somebody's transaction, which rolls everything back that is not committed by then."""
    with counter.engine.connect() as connection:
        connection.begin()
        connection.execute(shop.credit("another"))  # without which SQLite's driver has not begun
        ending = counter.deliver(sessions=sessionmaker(connection, join_transaction_mode=mode))  # type: ignore[call-overload]
        connection.rollback()
    return counter.ending(ending.said, ending.error)


@pytest.mark.parametrize(
    ("mode", "ending"),
    [
        ("conditional_savepoint", refused()),
        ("rollback_only", refused()),
        ("create_savepoint", refused()),
        ("control_fully", PROCESSED),  # its commit is that transaction's
    ],
)
def test_session_that_joined_a_transaction(counter: Counter, mode: str, ending: Ending) -> None:
    assert joined_to_a_transaction(counter, mode) == ending


def test_delivery_to_another_package_on_one_connection(in_memory: Counter) -> None:
    other = replace(in_memory, package=generated(SYNC + "table: other_inbox\n"))
    other.package.models.Base.metadata.create_all(in_memory.engine)
    inner = []
    handler = after_applying(lambda _: inner.append(other.deliver()))
    assert in_memory.deliver(handler) == refused()
    assert [ending.said for ending in inner] == ["AtomicityError"]
    in_memory.assert_intact()


def test_two_phases_are_refused(counter_on: Callable[..., Counter]) -> None:
    counter = counter_on("mariadb")
    ending = counter.deliver(sessions=sessionmaker(counter.engine, twophase=True))
    assert ending == refused()
    assert "two phases" in str(ending.error)
    counter.assert_intact()


def _commit_and_close(session: Session) -> None:
    with suppress(Exception), session:
        session.commit()


def _close_after_a_commit(session: Session) -> None:
    with suppress(Exception):
        session.commit()
    session.close()


def _commit_connection(session: Session) -> None:
    connection = session.connection()
    with suppress(Exception):
        connection.commit()
    session.close()


GIVE_BACK: dict[str, Handler] = {
    "with": after_applying(_commit_and_close),
    "close": after_applying(_close_after_a_commit),
    "connection": after_applying(_commit_connection),
    "close alone": after_applying(Session.close),
    "invalidate": after_applying(Session.invalidate),
}


def in_a_pool_of_one(counter: Counter, way: str) -> Ending:
    """What the refused delivery leaves behind when the next one has had its connection."""
    engine = create_engine(counter.engine.url, pool_size=1, max_overflow=0)
    sessions = sessionmaker(engine)
    try:
        ending = counter.deliver(GIVE_BACK[way], sessions=sessions)
        assert replace(counter, message=uuid4().hex).deliver(sessions=sessions) == PROCESSED
        return counter.ending(ending.said)
    finally:
        engine.dispose()


@pytest.mark.parametrize("way", GIVE_BACK)
def test_connection_given_back_by_the_handler(counter: Counter, way: str) -> None:
    """The transaction of a refused commit must not live on in the pool, and be committed by the next delivery."""
    assert in_a_pool_of_one(counter, way) == refused()
    counter.assert_intact()


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
