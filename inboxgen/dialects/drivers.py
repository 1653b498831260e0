"""The database drivers that the generated code may run on, and what each fits.

Names are the drivers' own; `urls` holds what stands before `://` in SQLAlchemy's URL, per dialect
(https://docs.sqlalchemy.org/en/21/dialects/). python-tds is missing because SQLAlchemy has no dialect for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from inboxgen.model import FAMILY, Api, Dialect


@dataclass(frozen=True, slots=True)
class Driver:
    """A driver; one that can be called and awaited (psycopg) has both kinds of `apis`."""

    name: str
    apis: tuple[Api, ...]
    urls: Mapping[Dialect, str]


def _driver(name: str, apis: tuple[Api, ...], dialects: tuple[Dialect, ...], sqlalchemy: str = "") -> Driver:
    urls = {dialect: f"{dialect}+{sqlalchemy or name}" for dialect in dialects}
    return Driver(name, apis, MappingProxyType(urls))


_SYNC, _ASYNC = (Api.SYNC,), (Api.ASYNC,)
_POSTGRESQL, _SQLITE, _MSSQL = (Dialect.POSTGRESQL,), (Dialect.SQLITE,), (Dialect.MSSQL,)
_MYSQL_AND_MARIADB = (Dialect.MYSQL, Dialect.MARIADB)

DRIVERS: Mapping[str, Driver] = MappingProxyType(
    {
        driver.name: driver
        for driver in (
            _driver("psycopg", (Api.SYNC, Api.ASYNC), _POSTGRESQL),
            _driver("psycopg2", _SYNC, _POSTGRESQL),
            _driver("pg8000", _SYNC, _POSTGRESQL),
            _driver("asyncpg", _ASYNC, _POSTGRESQL),
            _driver("sqlite3", _SYNC, _SQLITE, "pysqlite"),
            _driver("aiosqlite", _ASYNC, _SQLITE),
            _driver("pymysql", _SYNC, _MYSQL_AND_MARIADB),
            _driver("mysqlclient", _SYNC, _MYSQL_AND_MARIADB, "mysqldb"),
            _driver("mysql-connector", _SYNC, _MYSQL_AND_MARIADB, "mysqlconnector"),
            _driver("mariadb", _SYNC, (Dialect.MARIADB,), "mariadbconnector"),
            _driver("aiomysql", _ASYNC, _MYSQL_AND_MARIADB),
            _driver("asyncmy", _ASYNC, _MYSQL_AND_MARIADB),
            _driver("pyodbc", _SYNC, _MSSQL),
            _driver("pymssql", _SYNC, _MSSQL),
            _driver("mssql-python", _SYNC, _MSSQL, "mssqlpython"),
            _driver("aioodbc", _ASYNC, _MSSQL),
        )
    }
)

# These cannot tell that the marker's transaction has failed or ended: asyncpg counts a failed one as one, pg8000 tells
# it of a private attribute only, and on the others the next statement begins another. A savepoint tells it for them.
NEEDS_SAVEPOINT = frozenset(
    {"pg8000", "asyncpg"} | {name for name, driver in DRIVERS.items() if {Dialect.SQLITE, *FAMILY} & driver.urls.keys()}
)


def drivers_for(dialect: Dialect, names: Iterable[str]) -> tuple[str, ...]:
    """Those of `names` that are drivers for `dialect`, in their order."""
    return tuple(name for name in names if dialect in DRIVERS[name].urls)


def fitting(dialect: Dialect, api: Api) -> tuple[str, ...]:
    """The names of the drivers for `dialect` that can be used with `api`, in the table's order."""
    return tuple(name for name in drivers_for(dialect, DRIVERS) if api in DRIVERS[name].apis)
