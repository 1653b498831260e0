"""Fixtures that several test folders share."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import URL

from tests.golden import Golden, add_option, from_config
from tests.servers import MARIADB_DRIVER, POSTGRESQL_DRIVER, NoServer, mariadb_database, postgresql_database

ENGINES = ("sqlite", POSTGRESQL_DRIVER, MARIADB_DRIVER, "mysql+pymysql")


def pytest_addoption(parser: pytest.Parser) -> None:
    add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    from_config(config)  # refuses before any test has run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where everything is required, a skip for whatever reason is a failure."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("INBOXGEN_TEST_REQUIRE_ALL") == "1":
        report.outcome = "failed"
    return report


@pytest.fixture
def golden(pytestconfig: pytest.Config) -> Golden:
    """What was produced, held to the files in `golden/`."""
    return from_config(pytestconfig)


def missing(reason: str) -> NoReturn:
    """Skip the test for want of a server; where all of them are required, fail it."""
    if os.environ.get("INBOXGEN_TEST_REQUIRE_ALL") == "1":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@contextmanager
def _or_skip(database: AbstractContextManager[URL]) -> Iterator[URL]:
    with ExitStack() as stack:
        reason = ""
        try:
            url = stack.enter_context(database)
        except NoServer as error:
            reason = str(error)
        if reason:
            missing(reason)
        yield url


@pytest.fixture
def postgresql_url() -> Iterator[URL]:
    """A new PostgreSQL database of this test's own; the URL names no driver."""
    with _or_skip(postgresql_database()) as url:
        yield url


@pytest.fixture
def mariadb_url() -> Iterator[URL]:
    """A new MariaDB database of this test's own; the URL names no driver."""
    with _or_skip(mariadb_database()) as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> URL:
    """A SQLite file of this test's own, not created yet; the URL names no driver."""
    return URL.create("sqlite", database=str(tmp_path / "test.sqlite"))


@pytest.fixture(params=ENGINES, ids=lambda drivername: drivername.replace("+", "-"))
def engine_url(request: pytest.FixtureRequest) -> URL:
    """A new database on each engine, with a synchronous driver; the MariaDB server comes in both of its spellings."""
    drivername: str = request.param
    kind = drivername.partition("+")[0].replace("mysql", "mariadb")
    url: URL = request.getfixturevalue(f"{kind}_url")
    return url.set(drivername=drivername)
