"""Every change on every engine: the old tree, its rows, the new tree, up, down and up, with nothing left to migrate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, inspect, text

from inboxgen.lock import Lock, parse_lock
from inboxgen.model import Dialect
from inboxgen.spec import from_normal_form
from inboxgen.targets.alembic import init_files
from tests.changes.cases import CASES, Case
from tests.changes.repositories import ROWS, Repository, count, execute, fill

DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}
PAIRS = [(name, engine) for name, case in CASES.items() for engine in case.engines]
ROUND = ("upgrade head", "check", "downgrade -1", "upgrade head", "check")
SILENT = "No new upgrade operations detected."


@pytest.mark.parametrize(("name", "engine"), PAIRS)
def test_up_down_and_up_again(name: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    case = CASES[name]
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    root = tmp_path / "repository"
    root.mkdir()
    repository = Repository(root)
    repository.begin(case)
    prepare(case, url)
    old = repository.inbox()
    up(repository, url, "upgrade head")
    if Dialect(engine) in old.dialects:
        fill(url, old)

    frozen = {path: text for path, text in repository.files().items() if is_frozen(path)}
    repository.change(case)
    if case.name == "move_to_schema":  # the environment is the user's, who is told to look into schemas too
        env = next(file for file in init_files(repository.inbox()) if file.path.endswith("env.py"))
        (root / env.path).write_text(env.text)
    assert repository.new(case.specs[1]).said == "orders.yaml: up to date\n"
    assert repository.inboxgen("check").code == 0
    assert {path: text for path, text in repository.files().items() if path in frozen} == frozen
    # Without a revision there is nothing to go back over but the first one, which holds the markers.
    rounds = ROUND if case.revision else ("check",)
    assert up(repository, url, *rounds).count(SILENT) == rounds.count("check")
    table = from_normal_form(record(repository).spec).table
    if Dialect(engine) in old.dialects:
        assert count(url, f"{table.schema}.{table.name}" if table.schema else table.name) == ROWS
    before = old
    for _ in range(case.settled):
        lock = record(repository)
        assert from_normal_form(lock.unsettled) == replace(before, consumers=(), messages=())
        before = from_normal_form(lock.spec)
        settled = repository.new(case.specs[1], "--settled")
        assert settled.code == 0, settled.said
        assert up(repository, url, *ROUND).count(SILENT) == 2
    assert repository.new(case.specs[1], "--settled").code == 0
    assert not record(repository).unsettled
    assert repository.new(case.specs[1]).said == "orders.yaml: up to date\n"
    assert_fresh(repository, url, tmp_path / "fresh.sqlite")


def record(repository: Repository) -> Lock:
    return parse_lock((repository.root / "orders.lock").read_text(), "orders.lock")


def is_frozen(path: str) -> bool:
    return path.startswith("migrations/versions") or "/0" in path


def prepare(case: Case, url: URL) -> None:
    if case.name == "move_to_schema":
        execute(url, "CREATE SCHEMA messaging")


def up(repository: Repository, url: URL, *commands: str) -> str:
    ran = repository.alembic(url, *commands)
    assert ran.status == 0, ran.stderr
    return ran.stdout + ran.stderr


def assert_fresh(repository: Repository, url: URL, fresh: Path) -> None:
    """On SQLite the schema is the same, word for word, that a new repository would have."""
    if url.get_backend_name() != "sqlite":
        return
    engines = [create_engine(url), create_engine(URL.create("sqlite", database=str(fresh)))]
    script = (repository.root / "golden/orders/sqlite/schema.sql").read_text()
    with engines[1].begin() as connection:
        for statement in script.split(";"):
            if statement.strip().partition("\n\n")[2] or "CREATE" in statement:
                connection.execute(text(statement))
    query = text("SELECT name, sql FROM sqlite_master WHERE tbl_name <> 'alembic_version' ORDER BY name")
    found = [dict(engine.connect().execute(query).all()) for engine in engines]
    for engine in engines:
        engine.dispose()
    assert {name: " ".join(str(sql).split()) for name, sql in found[0].items()} == {
        name: " ".join(str(sql).split()) for name, sql in found[1].items()
    }
    assert inspect(create_engine(url)).has_table(repository.inbox().table.name)
