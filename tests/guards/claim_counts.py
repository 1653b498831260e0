"""What the claim counts on each driver, new and again; runs in a process of its own under another SQLAlchemy."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from typing import Any
from uuid import UUID, uuid4

import sqlalchemy
from sqlalchemy import create_engine
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import sessionmaker

# Per driver: the engine, what stands before `://`, and whether it is awaited.
DRIVERS = {
    "psycopg": ("postgresql", "postgresql+psycopg", False),
    "psycopg2": ("postgresql", "postgresql+psycopg2", False),
    "pg8000": ("postgresql", "postgresql+pg8000", False),
    "psycopg-async": ("postgresql", "postgresql+psycopg_async", True),
    "asyncpg": ("postgresql", "postgresql+asyncpg", True),
    "sqlite3": ("sqlite", "sqlite+pysqlite", False),
    "aiosqlite": ("sqlite", "sqlite+aiosqlite", True),
    "pymysql": ("mariadb", "mariadb+pymysql", False),
    "pymysql-as-mysql": ("mariadb", "mysql+pymysql", False),
    "mysqlclient": ("mariadb", "mariadb+mysqldb", False),
    "mysql-connector": ("mariadb", "mariadb+mysqlconnector", False),
    "mariadb": ("mariadb", "mariadb+mariadbconnector", False),
    "aiomysql": ("mariadb", "mariadb+aiomysql", True),
    "asyncmy": ("mariadb", "mariadb+asyncmy", True),
}
MODULES = {
    "psycopg-async": "psycopg",
    "mysqlclient": "MySQLdb",
    "mysql-connector": "mysql.connector",
    "pymysql-as-mysql": "pymysql",
}
NEW_THEN_AGAIN = [1, 0]
NEW_THEN_VIOLATION = [1, "UNIQUE_OURS"]


def expected(on: str) -> list[object]:
    """The claim's counts, then what two deliveries say."""
    return [*(NEW_THEN_VIOLATION if on == "mariadb" else NEW_THEN_AGAIN), "PROCESSED", "DUPLICATE"]


def measured(url: str, package: str, awaited: bool) -> list[object]:
    """Claim one message twice, and deliver another one twice."""
    made = importlib.import_module(package)
    make = uuid4 if made.MessageKey.__annotations__["message_id"] is UUID else lambda: str(uuid4())
    keys = [made.MessageKey(message_id=make()) for _ in range(2)]
    return asyncio.run(_await(url, made, *keys)) if awaited else _call(url, made, *keys)


def _call(url: str, package: Any, claimed: Any, delivered: Any) -> list[object]:
    engine = create_engine(url)
    found: list[object] = []
    marker = {**claimed.columns(), "consumer": "credit"}
    for _ in range(2):
        with engine.connect() as connection:
            try:
                statement = package.statements.CLAIM[connection.dialect.name]
                found.append(connection.execute(statement, marker).rowcount)
                connection.commit()
            except IntegrityError as error:
                found.append(package.classifier.diagnose(error).name)
    for _ in range(2):
        handled = package.runtime.consume(sessionmaker(engine), "credit", delivered, None, lambda *_: None)
        found.append(handled.outcome.name)
    engine.dispose()
    return found


async def _await(url: str, package: Any, claimed: Any, delivered: Any) -> list[object]:
    engine = create_async_engine(url)
    found: list[object] = []
    marker = {**claimed.columns(), "consumer": "credit"}

    async def handle(*_: object) -> None:
        pass

    for _ in range(2):
        async with engine.connect() as connection:
            try:
                statement = package.statements.CLAIM[connection.dialect.name]
                found.append((await connection.execute(statement, marker)).rowcount)
                await connection.commit()
            except IntegrityError as error:
                found.append(package.classifier.diagnose(error).name)
    for _ in range(2):
        handled = await package.runtime.consume(async_sessionmaker(engine), "credit", delivered, None, handle)
        found.append(handled.outcome.name)
    await engine.dispose()
    return found


if __name__ == "__main__":
    counts = {name: measured(*arguments) for name, arguments in json.load(sys.stdin).items()}
    print(json.dumps({"sqlalchemy": sqlalchemy.__version__, "counts": counts}))
