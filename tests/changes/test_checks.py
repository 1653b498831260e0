"""What stops a migration before it does anything: the offending rows, and what to do about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.changes.cases import CASES
from tests.changes.repositories import Repository, count, execute, fill
from tests.changes.test_upgrade import DRIVERS, up

AGE = {"sqlite": "datetime('now')", "postgresql": "now()", "mariadb": "UTC_TIMESTAMP(6)"}


def begun(name: str, url: URL, root: Path, rows: int = 20) -> Repository:
    repository = Repository(root)
    repository.begin(CASES[name])
    up(repository, url, "upgrade head")
    fill(url, repository.inbox(), rows)
    return repository


@pytest.fixture(params=DRIVERS)
def url(request: pytest.FixtureRequest) -> URL:
    found: URL = request.getfixturevalue(f"{request.param}_url")
    return found.set(drivername=DRIVERS[request.param])


def test_two_markers_that_would_be_one(tmp_path: Path, url: URL) -> None:
    repository = begun("remove_key_column", url, tmp_path)
    execute(url, "UPDATE inbox SET message_id = 'm0' WHERE message_id = 'm1'")
    repository.change(CASES["remove_key_column"])

    refused = repository.alembic(url, "upgrade head")
    assert refused.status != 0
    said = refused.stdout + refused.stderr
    assert "more than one marker with the same message_id, consumer" in said
    assert "m0, credit, 2" in said
    assert "Traceback" not in said

    execute(url, "DELETE FROM inbox WHERE message_id = 'm0' AND id > 2")
    up(repository, url, "upgrade head", "check")


def test_a_stored_key_that_is_too_long(tmp_path: Path, url: URL) -> None:
    repository = begun("narrow_key", url, tmp_path)
    execute(url, f"UPDATE inbox SET message_id = '{'x' * 101}' WHERE id = 1")
    repository.change(CASES["narrow_key"])

    refused = repository.alembic(url, "upgrade head")
    said = refused.stdout + refused.stderr
    assert refused.status != 0
    assert "whose message_id is longer than 100" in said and f"{'x' * 101}, 101" in said

    execute(url, "DELETE FROM inbox WHERE id = 1")
    up(repository, url, "upgrade head", "check")


def test_a_backfilled_marker_that_is_young(tmp_path: Path, url: URL) -> None:
    repository = begun("add_key_column", url, tmp_path)
    case = CASES["add_key_column"]
    repository.change(case)
    up(repository, url, "upgrade head")
    repository.new(case.specs[1], "--settled")
    execute(url, f"UPDATE inbox SET received_at = {AGE[url.get_backend_name()]}, processed_at = NULL WHERE id < 4")

    refused = repository.alembic(url, "upgrade head")
    said = refused.stdout + refused.stderr
    assert refused.status != 0
    assert "markers with the backfilled tenant" in said and "old enough: 3, 20" in said
    assert "alembic -x settle_inbox=inbox upgrade" in said

    up(repository, url, "-x settle_inbox=inbox upgrade head", "check")
    assert count(url, "inbox") == 20


@pytest.mark.parametrize(
    ("statements", "named"),
    [
        (("CREATE INDEX by_time ON inbox (received_at)",), "index, by_time"),
        (("CREATE TRIGGER told AFTER INSERT ON Inbox BEGIN SELECT 1; END",), "trigger, told"),
        (("ALTER TABLE inbox ADD COLUMN tenant TEXT",), "column, tenant"),
    ],
)
@pytest.mark.parametrize("change", ["index_to_alternate_key", "rename_table"])
def test_what_a_table_made_anew_would_lose(
    tmp_path: Path, sqlite_url: URL, change: str, statements: tuple[str, ...], named: str
) -> None:
    repository = begun(change, sqlite_url, tmp_path)
    for statement in statements:
        execute(sqlite_url, statement)
    repository.change(CASES[change])
    refused = repository.alembic(sqlite_url, "upgrade head")
    assert refused.status != 0
    assert "inbox is made anew" in refused.stderr
    assert f"There is: {named}\n" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_rows_that_would_go_with_the_table(tmp_path: Path, sqlite_url: URL) -> None:
    """With foreign keys switched on, a dropped table's rows are deleted first, and those of its children with them."""
    repository = begun("index_to_alternate_key", sqlite_url, tmp_path)
    execute(sqlite_url, "CREATE TABLE notes (marker INTEGER REFERENCES inbox (id) ON DELETE CASCADE)")
    execute(sqlite_url, "INSERT INTO notes SELECT id FROM inbox")
    repository.change(CASES["index_to_alternate_key"])
    env = repository.root / "migrations/env.py"
    kept = env.read_text()
    switched = "with engine.connect() as connection:\n"
    assert switched in kept
    indent = kept.partition(switched)[0].rpartition("\n")[2] + "    "
    on = f'{switched}{indent}connection.exec_driver_sql("PRAGMA foreign_keys = ON")\n{indent}connection.commit()\n'
    env.write_text(kept.replace(switched, on))
    refused = repository.alembic(sqlite_url, "upgrade head")
    assert "There is: foreign key of, notes\n" in refused.stderr
    env.write_text(kept)
    up(repository, sqlite_url, "upgrade head")
    assert count(sqlite_url, "notes") == count(sqlite_url, "inbox")
