"""Engines and sessions as applications set them up: those that would part marker and effect are refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import Engine, Select, create_engine, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, apply, refused
from tests.races import shop

AUTOCOMMIT: dict[str, Callable[[Engine], Engine]] = {
    "of the engine": lambda engine: create_engine(engine.url, isolation_level="AUTOCOMMIT"),
    "of the options": lambda engine: create_engine(engine.url).execution_options(isolation_level="AUTOCOMMIT"),
    "of the driver": lambda engine: create_engine(
        engine.url,
        connect_args={"isolation_level": None} if engine.dialect.name == "sqlite" else {"autocommit": True},
    ),
}


@pytest.mark.parametrize("way", AUTOCOMMIT)
def test_autocommit_is_refused(counter: Counter, way: str) -> None:
    engine = AUTOCOMMIT[way](counter.engine)
    assert counter.deliver(sessions=sessionmaker(engine)) == refused()
    counter.assert_intact()
    engine.dispose()


@contextmanager
def other_database(tmp_path: Path, counter: Counter) -> Iterator[Engine]:
    """Another database with the same tables."""
    other = create_engine(f"sqlite:///{tmp_path / 'other.sqlite'}")
    with other.begin() as connection:
        shop.create_tables(connection, counter.package)
    yield other
    other.dispose()


def bound_to_two(counter: Counter, other: Engine) -> Ending:
    """The effect would go to another database than the marker."""
    sessions = sessionmaker(counter.engine, binds={shop.credits: other})
    ending = counter.deliver(sessions=sessions)
    return Ending(ending.said, shop.count_credits(other, counter.message), ending.markers, ending.error)


def test_session_bound_to_two_engines_is_refused(counter: Counter, tmp_path: Path) -> None:
    with other_database(tmp_path, counter) as other:
        assert bound_to_two(counter, other) == refused()
    counter.assert_intact()


def test_session_bound_by_table_alone_works(counter: Counter, tmp_path: Path) -> None:
    """Our table has its engine, which is the effect's too; the rest of the application has another."""
    with other_database(tmp_path, counter) as other:
        binds = {shop.credits: counter.engine, counter.package.models.Base: counter.engine}
        sessions = sessionmaker(other, binds=binds)
        assert counter.deliver(sessions=sessions) == PROCESSED
        assert counter.deliver(sessions=sessions) == DUPLICATE


def with_replica(counter: Counter, replica: Engine) -> sessionmaker[Session]:
    """Sessions that send reads to a replica, here one that is far behind."""

    class Routed(Session):
        def get_bind(self, mapper: Any = None, *, clause: Any = None, **options: Any) -> Engine:
            return replica if isinstance(clause, Select) else counter.engine

    return sessionmaker(class_=Routed)


def test_duplicate_is_found_past_a_stale_replica(counter: Counter, tmp_path: Path) -> None:
    with other_database(tmp_path, counter) as replica:
        sessions = with_replica(counter, replica)
        assert counter.deliver(sessions=sessions) == PROCESSED
        assert counter.deliver(sessions=sessions) == DUPLICATE


def test_handler_that_reads_from_a_replica_is_refused(counter: Counter, tmp_path: Path) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(select(shop.orders))

    with other_database(tmp_path, counter) as replica:
        assert counter.deliver(handle, sessions=with_replica(counter, replica)) == refused()
    counter.assert_intact()


def failing_elsewhere(counter: Counter) -> Ending:
    """Another thread's statement fails on the same engine while the handler runs."""

    def fail() -> None:
        with counter.engine.connect() as connection, pytest.raises(DBAPIError):
            connection.execute(text("SELECT no_such_column FROM credits"))

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        thread = Thread(target=fail)
        thread.start()
        thread.join()
        with Session(counter.engine) as own, pytest.raises(DBAPIError):
            own.execute(text("SELECT no_such_column FROM credits"))

    return counter.deliver(handle)


def test_error_of_another_thread_is_not_taken_for_ours(counter: Counter) -> None:
    assert failing_elsewhere(counter) == PROCESSED
    assert counter.deliver() == DUPLICATE


def test_other_sessions_of_the_factory_are_left_alone(counter: Counter) -> None:
    sessions = sessionmaker(counter.engine)

    def handle(session: Session, message: str) -> None:
        with sessions() as other:
            other.execute(text("SELECT 1"))
            other.commit()
            other.execute(text("SELECT 1"))
            other.rollback()
        apply(session, message)

    assert counter.deliver(handle, sessions=sessions) == PROCESSED
    with sessions.begin() as session:
        session.execute(text("SELECT 1"))


def test_pooled_connection_is_free_of_the_guard_afterwards(counter: Counter) -> None:
    engine = create_engine(counter.engine.url, pool_size=1, max_overflow=0)
    assert counter.deliver(sessions=sessionmaker(engine)) == PROCESSED
    with engine.connect() as connection:
        connection.exec_driver_sql("ROLLBACK" if counter.on == "mariadb" else "SELECT 1")
        connection.commit()
    engine.dispose()


def test_threads_share_a_pool(counter: Counter) -> None:
    """Each message four times, from eight threads that share one pool."""
    engine = create_engine(counter.engine.url, pool_size=8, max_overflow=0)
    sessions = sessionmaker(engine)
    messages = [Counter(counter.package, counter.engine) for _ in range(50)]

    def deliver(one: Counter) -> str:
        while True:
            try:
                key = one.key
                said = one.package.runtime.consume(sessions, "credit", key, one.message, apply).outcome.name
                if said != "IN_PROGRESS":
                    return str(said)
            except DBAPIError as error:
                assert one.package.classify(error).name == "TRANSIENT"

    with ThreadPoolExecutor(8) as threads:
        said = list(threads.map(deliver, [one for one in messages for _ in range(4)]))
    engine.dispose()
    assert said.count("PROCESSED") == 50
    assert said.count("DUPLICATE") == 150
    for one in messages:
        assert shop.count_credits(counter.engine, one.message) == 1
        assert shop.count_markers(counter.engine, counter.package, one.message) == 1
