"""One way to talk to every driver, raw and through SQLAlchemy: SQL text in autocommit, BEGIN and COMMIT written out."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from sqlalchemy import URL, create_engine
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

# The spec's driver → the module to import, SQLAlchemy's name of it, whether it is awaited.
POSTGRESQL = {
    "psycopg": ("psycopg", "psycopg", False),
    "psycopg-async": ("psycopg", "psycopg", True),
    "psycopg2": ("psycopg2", "psycopg2", False),
    "pg8000": ("pg8000.dbapi", "pg8000", False),
    "asyncpg": ("asyncpg", "asyncpg", True),
}
MYSQL = {
    "pymysql": ("pymysql", "pymysql", False),
    "mysqlclient": ("MySQLdb", "mysqldb", False),
    "mysql-connector": ("mysql.connector", "mysqlconnector", False),
    "mariadb": ("mariadb", "mariadbconnector", False),
    "aiomysql": ("aiomysql", "aiomysql", True),
    "asyncmy": ("asyncmy", "asyncmy", True),
}
SQLITE = {
    "sqlite3": ("sqlite3", "pysqlite", False),
    "aiosqlite": ("aiosqlite", "aiosqlite", True),
}
_DRIVERS = {"postgresql": POSTGRESQL, "mariadb": MYSQL, "sqlite": SQLITE}


class Connection:
    """A connection whose every statement is its own transaction unless BEGIN says otherwise."""

    def __init__(self, run: Callable[[str], Any], close: Callable[[], Any], pause: Callable[[], Any]) -> None:
        self.run = run
        self.close = close
        self.pause = pause

    def fails(self, statement: str) -> BaseException:
        """The exception that `statement` raises; fails the test when it raises none."""
        try:
            self.run(statement)
        except Exception as error:
            return error
        pytest.fail(f"no error from: {statement}")


@contextmanager
def connect(url: URL, driver: str, via: str) -> Iterator[Connection]:
    """Connect to `url`'s database by `driver`; `via` is "raw" or "sqlalchemy"."""
    module, name, awaited = _DRIVERS[url.drivername][driver]
    pytest.importorskip(module)
    runner = asyncio.Runner() if awaited else None
    if via == "sqlalchemy":
        connection = _sqlalchemy(url.set(drivername=f"{url.drivername}+{name}"), runner)
    elif runner:
        connection = _raw_async(url, driver, runner)
    else:
        connection = _raw(url, driver, importlib.import_module(module))
    try:
        yield connection
    finally:
        with suppress(Exception):  # the server may have ended it already
            connection.close()
        if runner:
            runner.close()


def _sqlalchemy(url: URL, runner: asyncio.Runner | None) -> Connection:
    options: dict[str, Any] = {"isolation_level": "AUTOCOMMIT", "poolclass": NullPool}
    if url.drivername.startswith("sqlite"):
        options["connect_args"] = {"timeout": 0}
    if runner is None:
        connection = create_engine(url, **options).connect()

        def run(statement: str) -> Any:
            result = connection.exec_driver_sql(statement)
            return result.scalar() if result.returns_rows else None

        return Connection(run, connection.close, lambda: None)
    awaited = runner.run(_started(create_async_engine(url, **options)))

    async def run_async(statement: str) -> Any:
        result = await awaited.exec_driver_sql(statement)
        return result.scalar() if result.returns_rows else None

    return _awaiting(runner, run_async, awaited.close)


async def _started(engine: Any) -> Any:
    return await engine.connect()


def _awaiting(
    runner: asyncio.Runner, run: Callable[[str], Awaitable[Any]], close: Callable[[], Awaitable[Any]]
) -> Connection:
    return Connection(
        lambda statement: runner.run(_awaited(run(statement))),
        lambda: runner.run(_awaited(close())),
        lambda: runner.run(asyncio.sleep(0.2)),  # so that the client notices what the server did
    )


async def _awaited(awaitable: Awaitable[Any]) -> Any:
    return await awaitable


def _raw(url: URL, driver: str, module: Any) -> Connection:
    where: dict[str, Any] = {"host": url.host, "port": url.port, "user": url.username, "password": url.password or ""}
    match driver:
        case "sqlite3":
            connection = module.connect(url.database, isolation_level=None, timeout=0)
        case "psycopg2":
            connection = module.connect(dbname=url.database, **where)
        case "psycopg":
            connection = module.connect(dbname=url.database, autocommit=True, **where)
        case _:
            connection = module.connect(database=url.database, **where)
    if driver in ("mysqlclient", "pymysql"):
        connection.autocommit(True)
    elif driver not in ("sqlite3", "psycopg"):
        connection.autocommit = True

    def run(statement: str) -> Any:
        cursor = connection.cursor()
        cursor.execute(statement)
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    return Connection(run, connection.close, lambda: None)


def _raw_async(url: URL, driver: str, runner: asyncio.Runner) -> Connection:
    where: dict[str, Any] = {"host": url.host, "port": url.port, "user": url.username, "password": url.password or ""}
    match driver:
        case "asyncpg":
            import asyncpg

            connection = runner.run(_awaited(asyncpg.connect(database=url.database, **where)))
            return _awaiting(runner, connection.fetchval, connection.close)
        case "psycopg-async":
            import psycopg

            connecting = psycopg.AsyncConnection.connect(dbname=url.database, autocommit=True, **where)
        case "aiosqlite":
            import aiosqlite

            connecting = aiosqlite.connect(str(url.database), isolation_level=None, timeout=0)
        case _:
            module = importlib.import_module(driver)
            connecting = module.connect(db=url.database, autocommit=True, **where)
    connection = runner.run(_awaited(connecting))

    async def run(statement: str) -> Any:
        cursor = connection.cursor()
        if asyncio.iscoroutine(cursor) or driver in ("aiomysql", "aiosqlite"):
            cursor = await cursor
        await cursor.execute(statement)
        row = await cursor.fetchone() if cursor.description else None
        return row[0] if row else None

    async def close() -> None:
        closed = connection.close()
        if asyncio.iscoroutine(closed):
            await closed

    return _awaiting(runner, run, close)
