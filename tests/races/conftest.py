"""Fixtures of the races: instances, and a database that the tests of one run share, each with messages of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache, partial
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import URL, Connection, Engine, text

from tests.conftest import missing
from tests.generated import generated
from tests.races import shop
from tests.races.crew import PATIENCE, Crew, Instance
from tests.races.databases import database
from tests.servers import NoServer

# Every isolation level that an engine has; of SQLite, which has one, the journal modes.
LEVELS = {
    "postgresql": ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"),
    "mariadb": ("READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"),
    "sqlite": ("delete", "wal"),
}
_WAITING = {
    "postgresql": "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'",
    "mariadb": "SELECT count(*) FROM information_schema.innodb_trx AS t JOIN information_schema.processlist AS p"
    " ON p.id = t.trx_mysql_thread_id WHERE p.db = database() AND t.trx_state = 'LOCK WAIT'",
}
# Seconds; InnoDB shows what it showed before until nobody has looked for a tenth of a second.
_LOOK_AGAIN = 0.12


@dataclass(frozen=True)
class Race:
    """One message that instances compete for."""

    crew: Crew
    engine: Engine
    url: URL
    options: dict[str, Any]
    message: str = field(default_factory=lambda: uuid4().hex)

    package: ModuleType = field(default_factory=generated)

    @property
    def on(self) -> str:
        return self.url.get_backend_name()

    def job(self, **changes: Any) -> dict[str, Any]:
        plain = {"consumer": "credit", "order": "", "hold": False, "naive": False}
        return {
            "package": self.package.__name__,
            "url": self.url.render_as_string(hide_password=False),
            "message": self.message,
            "options": self.options,
        } | (plain | changes)

    def deliver(self, instance: Instance, **changes: Any) -> str:
        """Deliver the message, and wait for the end."""
        instance.deliver(self.job(**changes))
        return instance.end()

    def start(self, losers: int, **changes: Any) -> tuple[Instance, list[Instance]]:
        """A winner that holds between claim and commit, and losers that are blocked by it."""
        winner, *others = self.crew.take(1 + losers)
        winner.deliver(self.job(hold=True, **changes))
        winner.hear("holding")
        for other in others:
            other.deliver(self.job(**changes))
            other.hear("claiming")
        self.await_blocked(others)
        assert not any(other.has("ended") for other in others)
        return winner, others

    def await_blocked(self, instances: list[Instance]) -> None:
        """Wait until the database says that so many wait, or one has ended; SQLite cannot say who waits."""
        until = time.monotonic() + PATIENCE
        with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            while not any(instance.has("ended") for instance in instances):
                if self.on == "sqlite":
                    time.sleep(0.2)
                    return
                waiting = self._count_waiting(connection)
                if waiting == len(instances):
                    return
                assert time.monotonic() < until, f"{waiting} of {len(instances)} wait"

    def _count_waiting(self, connection: Connection) -> int:
        """Look in turn with the other workers, or all of them would see what is old."""
        if self.on == "mariadb":
            connection.execute(text("SELECT GET_LOCK('look', 60)"))
        time.sleep(_LOOK_AGAIN)
        count: int = connection.scalar(text(_WAITING[self.on]))
        if self.on == "mariadb":
            connection.execute(text("SELECT RELEASE_LOCK('look')"))
        return count

    @property
    def credits(self) -> int:
        return shop.count_credits(self.engine, self.message)

    @property
    def markers(self) -> int:
        return shop.count_markers(self.engine, self.package, self.message)


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    crew = Crew()
    yield crew
    crew.dismiss()


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str, str], Engine]]:
    """An engine on a database with our tables: one for a server, one for each journal mode of SQLite."""
    with ExitStack() as stack:

        @cache
        def opened(on: str, journal_mode: str) -> Engine:
            context = database(on, generated(), tmp_path_factory.mktemp("races"), journal_mode)
            return stack.enter_context(context)

        yield opened


def _race(crew: Crew, databases: Callable[[str, str], Engine], on: str, level: str) -> Race:
    try:
        engine = databases(on, level if on == "sqlite" else "")
    except NoServer as error:
        missing(str(error))
    options = {"connect_args": {"timeout": PATIENCE}} if on == "sqlite" else {"isolation_level": level}
    return Race(crew, engine, engine.url, options)


_ALL = [(on, level) for on, levels in LEVELS.items() for level in levels]


@pytest.fixture(params=_ALL, ids=lambda pair: "-".join(pair).replace(" ", "-").lower())
def race(request: pytest.FixtureRequest, crew: Crew, databases: Callable[[str, str], Engine]) -> Race:
    """A message, at every isolation level of every engine."""
    return _race(crew, databases, *request.param)


@pytest.fixture(params=["postgresql", "mariadb", "sqlite"])
def default_race(request: pytest.FixtureRequest, crew: Crew, databases: Callable[[str, str], Engine]) -> Race:
    """A message on every engine, at the level that the engine starts with."""
    defaults = {"postgresql": "READ COMMITTED", "mariadb": "REPEATABLE READ", "sqlite": "delete"}
    return _race(crew, databases, request.param, defaults[request.param])


@pytest.fixture
def make_race(crew: Crew, databases: Callable[[str, str], Engine]) -> Callable[[str, str], Race]:
    """A message on a given engine at a given level."""
    return partial(_race, crew, databases)
