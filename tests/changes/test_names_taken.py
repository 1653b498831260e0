"""An index or a table that has the name that a change gives: the change stops, and no moment is without a key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.util import CommandError
from sqlalchemy import URL, Engine, create_engine, inspect
from sqlalchemy.exc import DBAPIError

from inboxgen.changes import sql
from inboxgen.model import DedupKey, Dialect, Inbox
from inboxgen.schema import create_statements
from tests.changes.cases import CASES, ENGINES
from tests.changes.repositories import Repository, fill
from tests.changes.test_rerun import revision, run
from tests.changes.test_upgrade import DRIVERS

CHANGES = ["index_to_alternate_key", "rename_dedup_key", "add_key_column", "remove_key_column", "rename_table"]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    url: URL = request.getfixturevalue(f"{request.param}_url").set(drivername=DRIVERS[request.param])
    made = create_engine(url)
    yield made
    made.dispose()


def kind_of(engine: Engine) -> Dialect:
    return Dialect(engine.dialect.name.replace("mysql", "mariadb"))


def migrated(repository: Repository, engine: Engine, change: str) -> tuple[Inbox, Path]:
    """A database with the old inbox and rows in it, and the revision that is to change it."""
    repository.begin(CASES[change])
    old, kind = repository.inbox(), kind_of(engine)
    execute(engine, *create_statements(old, kind))
    fill(engine.url, old, 20)
    known = set(repository.root.glob("migrations/versions/*.py"))
    repository.change(CASES[change])
    (path,) = set(repository.root.glob("migrations/versions/*.py")) - known
    return old, path


def execute(engine: Engine, *statements: str) -> None:
    with engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def keeps(engine: Engine, table: str, key: DedupKey) -> bool:
    """Whether the database refuses a second row of the key."""
    inspector = inspect(engine)
    found = [each["column_names"] for each in inspector.get_indexes(table) if each["unique"]]
    found += [each["column_names"] for each in inspector.get_unique_constraints(table)]
    return list(key.columns) in found


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("where", ["the inbox", "another table"])
def test_index(engine: Engine, tmp_path: Path, change: str, where: str) -> None:
    repository, kind = Repository(tmp_path), kind_of(engine)
    old, path = migrated(repository, engine, change)
    new = repository.inbox()
    table = sql.quoted(kind, old.table.name if where == "the inbox" else "other")
    name, columns = sql.quoted(kind, new.dedup.name), sql.columns(kind, old.dedup_columns[-1:])
    if where == "another table":
        execute(engine, f"CREATE TABLE {table} ({columns} VARCHAR(200))")
    execute(engine, f"CREATE INDEX {name} ON {table} ({columns})")
    # On MariaDB a name is the table's own, and on SQLite a constraint has none.
    if where == "another table" and (kind is Dialect.MARIADB or (kind, change) == ("sqlite", CHANGES[0])):
        run(revision(path), "upgrade", engine)
        assert keeps(engine, new.table.name, new.dedup)
        return
    with pytest.raises((DBAPIError, CommandError)):
        run(revision(path), "upgrade", engine)
    held = next(name for name in (old.table.name, new.table.name) if name in inspect(engine).get_table_names())
    assert keeps(engine, held, old.dedup)
    execute(engine, f"DROP INDEX {name}" + (f" ON {sql.quoted(kind, held)}" if kind is Dialect.MARIADB else ""))
    run(revision(path), "upgrade", engine)
    assert keeps(engine, new.table.name, new.dedup)


def test_table(engine: Engine, tmp_path: Path) -> None:
    repository, kind = Repository(tmp_path), kind_of(engine)
    old, path = migrated(repository, engine, "rename_table")
    there = sql.quoted(kind, repository.inbox().table.name)
    execute(engine, f"CREATE TABLE {there} (id INTEGER)")
    with pytest.raises(DBAPIError):
        run(revision(path), "upgrade", engine)
    assert keeps(engine, old.table.name, old.dedup)
    execute(engine, f"DROP TABLE {there}")
    run(revision(path), "upgrade", engine)
    assert keeps(engine, repository.inbox().table.name, repository.inbox().dedup)
