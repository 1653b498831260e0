"""PostgreSQL: CREATE INDEX CONCURRENTLY that is broken off, and one that finds two markers which would be one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.pool import NullPool

from tests.conftest import missing
from tests.migrations.cases import CASES, OWN_COLUMNS
from tests.migrations.databases import Database, database
from tests.migrations.processes import PATIENCE, start_alembic
from tests.migrations.repositories import Repository, repository
from tests.migrations.upgrade import prepare, run_alembic
from tests.servers import NoServer

BUILDING = (
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE UNIQUE INDEX CONC%'"
)
STATES = (
    "SELECT indisvalid FROM pg_index WHERE indrelid = to_regclass('inbox') AND NOT indisprimary ORDER BY indexrelid"
)
ROWS = 100


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Database]:
    try:
        with database("postgresql", tmp_path) as found:
            yield found
    except NoServer as error:
        missing(str(error))


def begun(name: str, where: Database) -> Repository:
    releases = repository(name)
    prepare(CASES[name], releases.old, where, ROWS, ["credit", "email"])
    where.run("DROP TABLE effect")  # nobody's model, of which `alembic check` would speak
    return releases


@contextmanager
def writer(where: Database, statement: str) -> Iterator[Connection]:
    """A transaction that has written a marker and is still open: the index waits for its end."""
    with create_engine(where.owner, poolclass=NullPool).connect() as connection:
        connection.execute(text(statement))
        yield connection
        connection.rollback()


def marker(name: str, **values: str) -> str:
    """A marker of the old code like the first one, but for `values`, which are SQL."""
    key = [column for column in CASES[name].values if f"{column}:" in CASES[name].before]
    given = {column: values.get(column, column) for column in (*key, *OWN_COLUMNS)}
    return f"INSERT INTO inbox ({', '.join(given)}) SELECT {', '.join(given.values())} FROM inbox WHERE id = 1"


def until(where: Database, query: str, wanted: int) -> list[int]:
    """Ask again until there are so many rows; their first columns."""
    end = time.monotonic() + PATIENCE
    while len(found := where.rows(query)) != wanted:
        assert time.monotonic() < end, (query, found)
        time.sleep(0.02)
    return [row[0] for row in found]


@pytest.mark.parametrize("name", ["remove_key_column", "alternate_key_to_index"])
@pytest.mark.parametrize("whose", ["server", "client"])
def test_broken_off_inside_of_the_statement(name: str, whose: str, where: Database) -> None:
    releases = begun(name, where)
    upgrade = start_alembic(releases.new.folder, where.url, f"upgrade {releases.new.head}")
    with writer(where, marker(name, message_id="message_id || '-late'")):
        (pid,) = until(where, BUILDING, 1)
        if whose == "server":
            where.run(f"SELECT pg_terminate_backend({pid})")
            until(where, BUILDING, 0)
        upgrade.end()
        # The old key is there and enforced; the new one is there and is not valid.
        assert where.rows(STATES) == [(True,), (False,)]
        with pytest.raises(Exception, match="duplicate key"):
            where.run(marker(name))
    run_alembic(releases.new, where, f"upgrade {releases.new.head}", "check")
    assert all(valid for (valid,) in where.rows(STATES))
    run_alembic(releases.last, where, "-x settle_inbox=inbox upgrade head", "check")
    assert where.rows(STATES) == [(True,)]


def test_two_markers_that_come_while_it_is_built(where: Database) -> None:
    releases = begun("remove_key_column", where)
    upgrade = start_alembic(releases.new.folder, where.url, f"upgrade {releases.new.head}")
    # The same message by the new key, another one by the old key, which alone governs yet.
    with writer(where, marker("remove_key_column", tenant="gen_random_uuid()")) as held:
        until(where, BUILDING, 1)
        held.commit()
    status, said = upgrade.hear()
    upgrade.end()
    assert (status, "could not create unique index" in said) == (1, True)
    assert where.rows(STATES) == [(True,), (False,)]
    where.run("DELETE FROM inbox WHERE id = (SELECT MAX(id) FROM inbox)")
    run_alembic(releases.new, where, f"upgrade {releases.new.head}", "check")
    assert where.rows(STATES) == [(True,), (True,)]
