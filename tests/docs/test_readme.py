"""What README.md promises is tried: its specs load, and its connection settings do what the table says."""

from __future__ import annotations

import ast
import asyncio
import re
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text
from sqlalchemy.ext.asyncio import create_async_engine

from inboxgen.spec import load

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SPECS = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
ROW = re.compile(r"^\| ([a-z0-9, -]+) \| `(\{.*\})` \|$", re.MULTILINE)
SETTINGS = {
    driver: ast.literal_eval(arguments) for drivers, arguments in ROW.findall(README) for driver in drivers.split(", ")
}
POSTGRESQL = ("psycopg", "psycopg2", "asyncpg", "pg8000")
MARIADB = {
    "pymysql": "pymysql",
    "mysqlclient": "mysqldb",
    "aiomysql": "aiomysql",
    "asyncmy": "asyncmy",
    "mariadb": "mariadbconnector",
}
ASYNC = ("asyncpg", "aiomysql", "asyncmy", "aiosqlite")


@pytest.mark.parametrize("text_", SPECS, ids=range(len(SPECS)))
def test_specs_of_the_readme_load(text_: str, tmp_path: Path) -> None:
    spec = tmp_path / "orders.yaml"
    spec.write_text(text_ if "inbox:" in text_ else SPECS[0] + text_, encoding="utf-8")
    assert load(spec).name == "orders"


def test_every_driver_that_has_one_is_in_the_table() -> None:
    assert set(SETTINGS) == {*POSTGRESQL, *MARIADB, "sqlite3", "aiosqlite"}


@pytest.mark.parametrize("driver", POSTGRESQL)
def test_lock_timeout_of_postgresql(driver: str, postgresql_url: URL) -> None:
    url = postgresql_url.set(drivername=f"postgresql+{driver}")
    assert answer(url, driver, "SHOW lock_timeout") == "5s"


@pytest.mark.parametrize("driver", MARIADB)
def test_lock_wait_of_mariadb(driver: str, mariadb_url: URL) -> None:
    pytest.importorskip({"mysqlclient": "MySQLdb"}.get(driver, driver))
    url = mariadb_url.set(drivername=f"mariadb+{MARIADB[driver]}")
    assert answer(url, driver, "SELECT @@innodb_lock_wait_timeout") == 5


@pytest.mark.parametrize("driver", ["sqlite3", "aiosqlite"])
def test_busy_timeout_of_sqlite(driver: str, tmp_path: Path) -> None:
    name = "sqlite+pysqlite" if driver == "sqlite3" else "sqlite+aiosqlite"
    url = URL.create(name, database=str(tmp_path / "readme.db"))
    assert answer(url, driver, "PRAGMA busy_timeout") == 5000


def answer(url: URL, driver: str, question: str) -> object:
    """The server's answer over a connection that is made as the table says."""
    if driver not in ASYNC:
        engine = create_engine(url, connect_args=SETTINGS[driver])
        with engine.connect() as connection:
            found = connection.execute(text(question)).scalar_one()
        engine.dispose()
        return found

    async def ask() -> object:
        engine = create_async_engine(url, connect_args=SETTINGS[driver])
        async with engine.connect() as connection:
            found = (await connection.execute(text(question))).scalar_one()
        await engine.dispose()
        return found

    return asyncio.run(ask())
