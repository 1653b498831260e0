"""What the templates make: code that the user's own linters accept, and only what the spec asks for."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from tests.classifier.rendered import DRIVERS, MODULES, make_inbox, sources, write

SPECS = {
    "smallest": make_inbox(("postgresql", "sqlite"), ("psycopg", "psycopg2", "pg8000", "sqlite3")),
    "all": make_inbox(),
    "awaited": make_inbox(drivers=("psycopg", "asyncpg", "aiosqlite", "aiomysql", "asyncmy", "aioodbc")),
    "schema": make_inbox(schema="messaging"),
    "tenants": make_inbox(schema="messaging", per_tenant=True),
    "odd_names": make_inbox(table="in\"b`o]x.'1", dedup_key='it\'s "the" key{0}'),
    **{
        f"only_{driver}".replace("-", "_"): make_inbox((dialect,), (driver,))
        for dialect in DRIVERS
        for driver in DRIVERS[dialect]
    },
}
PAIRS = {
    f"{dialect}_{index}": make_inbox((dialect,), pair)
    for dialect in ("postgresql", "mssql")
    for index, pair in enumerate(combinations(DRIVERS[dialect], 2))
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every spec's classifier, each a package; the pairs of drivers are for the quick checks."""
    folder = tmp_path_factory.mktemp("output")
    for name, inbox in (SPECS | PAIRS).items():
        write(folder / name, sources(inbox))
    return folder


def _accepts(folder: Path, *command: str) -> None:
    pytest.importorskip(command[0])
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_black(folder: Path) -> None:
    _accepts(folder, "black", "--check", "--quiet", ".")


def test_ruff(folder: Path) -> None:
    _accepts(folder, "ruff", "check", "--isolated", "--select", "E4,E7,E9,F,I,UP,B,SIM,RUF,PTH,C4,PIE,RET", ".")


def test_mypy(folder: Path) -> None:
    _accepts(folder, "mypy", "--strict", "--no-incremental", *SPECS)


def test_basedpyright(folder: Path) -> None:
    settings = {"typeCheckingMode": "strict", "include": list(SPECS)}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    _accepts(folder, "basedpyright", "--pythonpath", sys.executable)


def test_smallest_is_short() -> None:
    assert sum(text.count("\n") for text in sources(SPECS["smallest"]).values()) <= 160


@pytest.mark.parametrize("dialect", DRIVERS)
def test_no_other_dialect(dialect: str) -> None:
    """A spec of one dialect imports one reader, and knows no other database's quotes."""
    text = sources(make_inbox((dialect,)))["classifier.py"]
    assert f"from .errors import Fault, {MODULES[dialect]}\n" in text
    others = set(MODULES.values()) - {MODULES[dialect]}
    assert not [other for other in others if other in text]


@pytest.mark.parametrize(
    ("dialect", "driver", "traces"),
    [
        ("postgresql", "pg8000", ("pg8000", "cast", "network error")),
        ("postgresql", "psycopg2", ('"psycopg2"', "connection already closed")),
        ("postgresql", "asyncpg", ("asyncpg", "server_source_function", "TargetServer")),
        ("mysql", "mysql-connector", ('"mysql"', "-1:")),
        ("mysql", "mysqlclient", ("MySQLdb",)),
        ("mssql", "pymssql", ("pymssql", "20009", "cast")),
        ("mssql", "python-tds", ("pytds", "ClosedConnectionError")),
        ("mssql", "mssql-python", ("mssql_python", "_DRIVER_ERRORS", "_NOT_UNIQUE")),
    ],
)
def test_no_trace_of_a_driver_that_is_not_asked_for(dialect: str, driver: str, traces: tuple[str, ...]) -> None:
    path = f"errors/{MODULES[dialect]}.py"
    without = sources(make_inbox((dialect,), [name for name in DRIVERS[dialect] if name != driver]))
    with_it = sources(make_inbox((dialect,)))[path]
    for trace in traces:
        assert trace in with_it
        assert trace not in without[path]
    if driver == "asyncpg":
        assert "walk_tb" not in without["classifier.py"]
