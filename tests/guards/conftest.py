"""Fixtures of the guards' tests: databases that many tests share, and ones that a test may spoil."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from types import ModuleType

import pytest
from sqlalchemy import Engine

from tests.conftest import missing
from tests.generated import ASYNC, generated
from tests.guards.awaited import DRIVERS, Awaited
from tests.guards.delivery import Counter
from tests.races.databases import database
from tests.servers import NoServer

ENGINES = ["postgresql", "mariadb", "sqlite"]


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Engine]]:
    """The database on an engine that tests share: their messages differ."""
    with ExitStack() as stack:
        yield cache(lambda on: stack.enter_context(database(on, generated(), tmp_path_factory.mktemp("guards"))))


@pytest.fixture
def counter_on(opened: Callable[[str], Engine]) -> Callable[..., Counter]:
    """A new message on a given engine."""

    def counter(on: str, package: ModuleType | None = None) -> Counter:
        with _or_skipped():
            return Counter(package or generated(), opened(on))

    return counter


@pytest.fixture(params=ENGINES)
def counter(request: pytest.FixtureRequest, counter_on: Callable[..., Counter]) -> Counter:
    """A new message on every engine."""
    return counter_on(request.param)


@pytest.fixture(params=DRIVERS)
def awaited(request: pytest.FixtureRequest, counter_on: Callable[..., Counter]) -> Awaited:
    """A new message on every engine, by an awaited driver."""
    on, drivername = DRIVERS[request.param]
    pytest.importorskip(request.param)
    return Awaited(counter_on(on, generated(ASYNC)), drivername)


@pytest.fixture
def spoilt_on(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Counter]]:
    """A new message on a given engine, in a database that the test may spoil."""
    with ExitStack() as stack:

        def counter(on: str, package: ModuleType | None = None) -> Counter:
            made = package or generated()
            with _or_skipped():
                engine = stack.enter_context(database(on, made, tmp_path_factory.mktemp("spoilt")))
            return Counter(made, engine)

        yield counter


@contextmanager
def _or_skipped() -> Iterator[None]:
    try:
        yield
    except NoServer as error:
        missing(str(error))
