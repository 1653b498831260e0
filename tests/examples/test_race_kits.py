"""The race kit of every example, run as its user would: by pytest, in the tree, without inboxgen."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, inspect

from inboxgen.model import Api, Dialect
from tests.servers import MARIADB_DRIVER, POSTGRESQL_DRIVER
from tests.trees import RUNNABLE, inbox, tree

ON_POSTGRESQL = ("async_api", "bytes_key", "custom_names", "digest_key", "kafka", "orders", "per_tenant", "schema")
ON_MARIADB = ("async_api", "bytes_key", "custom_names", "digest_key", "kafka_fallback", "mariadb_mysql")


def race(example: str, *, url: URL | None = None) -> str:
    """The summary of the kit's run, which passes."""
    done = run_kit(example, tree(example), url)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_kit(example: str, folder: Path, url: URL | None = None) -> subprocess.CompletedProcess[str]:
    module = inbox(example).module
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    if url is not None:
        environment[f"{module.upper()}_TEST_URL"] = url.render_as_string(hide_password=False)
    kit = Path("tests", f"test_{module}.py")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "server" if url else "", str(kit)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("example", RUNNABLE)
def test_on_sqlite_alone(example: str) -> None:
    summary = race(example)
    assert ("passed" in summary) == (Dialect.SQLITE in inbox(example).dialects)
    assert "skipped" in summary


def test_it_sees_a_table_without_the_unique_key(tmp_path: Path) -> None:
    shutil.copytree(tree("smallest"), tmp_path, dirs_exist_ok=True)
    models = tmp_path / "smallest_inbox" / "models.py"
    sound = models.read_text()
    models.write_text(sound.replace("unique=True", "unique=False"))
    assert models.read_text() != sound
    done = run_kit("smallest", tmp_path)
    assert done.returncode == 1
    assert "('PROCESSED', 'DUPLICATE')" in done.stdout


@pytest.mark.parametrize("example", ON_POSTGRESQL)
def test_on_postgresql(example: str, postgresql_url: URL) -> None:
    driver = "postgresql+asyncpg" if inbox(example).api is Api.ASYNC else POSTGRESQL_DRIVER
    assert "skipped" not in race(example, url=postgresql_url.set(drivername=driver))
    assert left_over(postgresql_url.set(drivername=POSTGRESQL_DRIVER)) == []


@pytest.mark.parametrize("example", ON_MARIADB)
def test_on_mariadb(example: str, mariadb_url: URL) -> None:
    driver = MARIADB_DRIVER
    if inbox(example).api is Api.ASYNC:
        pytest.importorskip("asyncmy")
        driver = "mariadb+asyncmy"
    assert "skipped" not in race(example, url=mariadb_url.set(drivername=driver))
    assert left_over(mariadb_url.set(drivername=MARIADB_DRIVER)) == []


def left_over(url: URL) -> list[str]:
    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()
