"""Handlers run as a role that may only INSERT into the inbox and SELECT from it, besides what the business needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Thread
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, apply, refused

GRANTS = {
    "postgresql": [
        "CREATE ROLE {role} LOGIN",
        "GRANT INSERT, SELECT ON inbox TO {role}",
        "GRANT USAGE ON SEQUENCE inbox_id_seq TO {role}",
        "GRANT INSERT, SELECT ON credits TO {role}",
        "GRANT USAGE ON SEQUENCE credits_id_seq TO {role}",
    ],
    "mariadb": [
        "CREATE USER {role}@'%%'",
        "GRANT INSERT, SELECT ON inbox TO {role}@'%%'",
        "GRANT INSERT, SELECT ON credits TO {role}@'%%'",
    ],
}
DROPS = {"postgresql": ["DROP OWNED BY {role}", "DROP ROLE {role}"], "mariadb": ["DROP USER {role}@'%%'"]}


@pytest.fixture(params=GRANTS)
def limited(request: pytest.FixtureRequest, spoilt_on: Callable[[str], Counter]) -> Iterator[tuple[Counter, Engine]]:
    """A message, and an engine of a role with few rights."""
    counter = spoilt_on(request.param)
    role = f"inboxgen_{uuid4().hex[:8]}"
    _run(counter.engine, GRANTS[counter.on], role)
    engine = create_engine(counter.engine.url.set(username=role, password=None))
    yield counter, engine
    engine.dispose()
    _run(counter.engine, DROPS[counter.on], role)


def _run(engine: Engine, statements: list[str], role: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement.format(role=role))


def test_role_has_no_more(limited: tuple[Counter, Engine]) -> None:
    _, engine = limited
    for statement in ("UPDATE inbox SET consumer = 'x'", "DELETE FROM inbox", "SELECT id FROM orders"):
        with engine.connect() as connection, pytest.raises(DBAPIError, match=r"denied"):
            connection.exec_driver_sql(statement)


def test_handler_runs(limited: tuple[Counter, Engine]) -> None:
    counter, engine = limited
    sessions = sessionmaker(engine)

    def fail(session: Session, message: str) -> None:
        apply(session, message)
        raise ValueError

    assert counter.deliver(fail, sessions=sessions) == refused("ValueError")
    assert counter.deliver(sessions=sessions) == PROCESSED
    assert counter.deliver(sessions=sessions) == DUPLICATE


def test_loser_is_told(limited: tuple[Counter, Engine]) -> None:
    counter, engine = limited
    ends: list[Ending] = []
    thread = Thread(target=lambda: ends.append(counter.deliver(sessions=sessionmaker(engine))))

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        thread.start()
        thread.join(0.3)
        assert thread.is_alive()

    assert counter.deliver(handle, sessions=sessionmaker(engine)) == PROCESSED
    thread.join()
    assert ends == [DUPLICATE]
