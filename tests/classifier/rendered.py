"""The classifier of a given inbox, rendered as a package that a test can import."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from datetime import timedelta
from itertools import count
from pathlib import Path, PurePosixPath
from types import ModuleType

from inboxgen.model import (
    Api,
    Consumer,
    Dialect,
    Inbox,
    KeyColumn,
    KeyType,
    Kind,
    Migrations,
    Naming,
    Retention,
    Table,
    Uniqueness,
)
from inboxgen.render import render

DRIVERS = {
    "postgresql": ("psycopg", "psycopg2", "pg8000", "asyncpg"),
    "sqlite": ("sqlite3", "aiosqlite"),
    "mysql": ("pymysql", "mysqlclient", "mysql-connector", "mariadb", "aiomysql", "asyncmy"),
    "mariadb": ("pymysql", "mysqlclient", "mysql-connector", "mariadb", "aiomysql", "asyncmy"),
    "mssql": ("pyodbc", "aioodbc", "pymssql", "mssql-python", "python-tds"),
}
MODULES = {"postgresql": "postgresql", "sqlite": "sqlite", "mysql": "mysql", "mariadb": "mysql", "mssql": "mssql"}
_serial = count()


def make_inbox(
    dialects: Iterable[str] = tuple(DRIVERS),
    drivers: Iterable[str] | None = None,
    *,
    table: str = "inbox",
    dedup_key: str = "uq_inbox_message_id_consumer",
    schema: str | None = None,
    per_tenant: bool = False,
) -> Inbox:
    """An inbox with a UUID key; by default with every dialect and every driver of it."""
    dialects = tuple(dialects)
    if drivers is None:
        drivers = dict.fromkeys(driver for dialect in dialects for driver in DRIVERS[dialect])
    return Inbox(
        name="orders",
        spec_path="orders.yaml",
        dialects=tuple(map(Dialect, dialects)),
        drivers=tuple(drivers),
        uniqueness=Uniqueness.INDEX,
        naming=Naming.SNAKE_CASE,
        api=Api.SYNC,
        key=(KeyColumn("message_id", "message_id", KeyType(Kind.UUID)),),
        consumer_type=KeyType(Kind.STRING, 200),
        table=Table(
            name=table,
            id="id",
            consumer="consumer",
            received_at="received_at",
            processed_at="processed_at",
            primary_key=f"pk_{table}",
            dedup_key=dedup_key,
            schema=schema,
            per_tenant=per_tenant,
        ),
        consumers=(Consumer("credit", "credit", "credit"),),
        messages=(),
        package=PurePosixPath("orders_inbox"),
        python=(3, 11),
        migrations=Migrations(),
        retention=Retention(timedelta(days=14), "14d"),
    )


def sources(inbox: Inbox) -> dict[str, str]:
    """The classifier's files, by path inside the package."""
    modules = dict.fromkeys(MODULES[dialect] for dialect in inbox.dialects)
    paths = ["classifier.py", "errors/__init__.py", *(f"errors/{module}.py" for module in modules)]
    context = {"dialects": set(map(str, inbox.dialects)), "drivers": set(inbox.drivers)}
    return {path: render(f"package/{path}.j2", inbox=inbox, **context) for path in paths}


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write a package's files, its own __init__ included; returns `folder`."""
    for path, text in {"__init__.py": "", **files}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def load(folder: Path, files: dict[str, str]) -> ModuleType:
    """The classifier module of `files`, written below `folder` under a name that no other test has."""
    name = f"classified_{next(_serial)}"
    write(folder / name, files)
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(f"{name}.classifier")
    finally:
        sys.path.remove(str(folder))
