"""Fresh databases with the tables of a generated package and of the shop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from uuid import uuid4

from sqlalchemy import URL, Engine, create_engine

from tests.races import shop
from tests.servers import MARIADB_DRIVER, POSTGRESQL_DRIVER, mariadb_database, postgresql_database

_SERVERS = {
    "postgresql": (postgresql_database, POSTGRESQL_DRIVER),
    "mariadb": (mariadb_database, MARIADB_DRIVER),
}


@contextmanager
def database(on: str, package: ModuleType, folder: Path, journal_mode: str = "delete") -> Iterator[Engine]:
    """An engine on a database of its own; `folder` and `journal_mode` are for SQLite's file."""
    if on == "sqlite":
        url = URL.create("sqlite", database=str(folder / f"{uuid4().hex}.sqlite"))
        with _tables(url, package) as engine:
            with engine.connect() as connection:
                connection.exec_driver_sql(f"PRAGMA journal_mode={journal_mode}")
            yield engine
        return
    create, driver = _SERVERS[on]
    with create() as url, _tables(url.set(drivername=driver), package) as engine:
        yield engine


@contextmanager
def _tables(url: URL, package: ModuleType) -> Iterator[Engine]:
    engine = create_engine(url)
    with engine.begin() as connection:
        shop.create_tables(connection, package)
    try:
        yield engine
    finally:
        engine.dispose()
