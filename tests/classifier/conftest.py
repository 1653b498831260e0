"""Fixtures of the classifier's tests: rendered classifiers, and databases that many cases share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import URL

from tests.classifier.rendered import load, make_inbox, sources
from tests.conftest import missing
from tests.servers import NoServer, mariadb_database, postgresql_database


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ModuleType]:
    """Build the classifier of `make_inbox(...)`."""
    folder: Path = tmp_path_factory.mktemp("classifiers")
    return lambda *args, **options: load(folder, sources(make_inbox(*args, **options)))


@pytest.fixture(scope="module")
def postgresql() -> Iterator[URL]:
    """A PostgreSQL database of this module's own; the URL names no driver."""
    yield from _shared(postgresql_database)


@pytest.fixture(scope="module")
def mariadb() -> Iterator[URL]:
    """A MariaDB database of this module's own; the URL names no driver."""
    yield from _shared(mariadb_database)


def _shared(database: Callable[..., object]) -> Iterator[URL]:
    context = database()
    try:
        url = context.__enter__()
    except NoServer as error:
        missing(str(error))
    try:
        yield url
    finally:
        context.__exit__(None, None, None)
