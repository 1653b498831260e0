"""What stops a migration before it does anything: the offending rows, and what to do about them."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text

from tests.changes.cases import CASES
from tests.changes.repositories import Repository, count, fill
from tests.changes.test_upgrade import DRIVERS, up

AGE = {"sqlite": "datetime('now')", "postgresql": "now()", "mariadb": "UTC_TIMESTAMP(6)"}


def begun(name: str, url: URL, root: Path, rows: int = 20) -> Repository:
    repository = Repository(root)
    repository.begin(CASES[name])
    up(repository, url, "upgrade head")
    fill(url, repository.inbox(), rows)
    return repository


def execute(url: URL, statement: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


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
