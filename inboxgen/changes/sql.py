"""The words that the steps of every database are made of: quoted names, types, and moments."""

from __future__ import annotations

from collections.abc import Iterable

from inboxgen.model import Dialect, Inbox, KeyType, Table
from inboxgen.schema import DIALECTS, sqlalchemy_dialect

# When `{seconds}` have gone by since `{moment}`.
_LATER = {
    Dialect.POSTGRESQL: "{moment} + INTERVAL '{seconds} seconds'",
    Dialect.MSSQL: "DATEADD(second, {seconds}, {moment})",
    Dialect.SQLITE: "strftime('%Y-%m-%d %H:%M:%S', {moment}, '+{seconds} seconds')",
    Dialect.MYSQL: "{moment} + INTERVAL {seconds} SECOND",
    Dialect.MARIADB: "{moment} + INTERVAL {seconds} SECOND",
}

# `{seconds}` before now.
MOMENT_AGO = {
    Dialect.POSTGRESQL: "clock_timestamp() - INTERVAL '{seconds} seconds'",
    Dialect.MSSQL: "DATEADD(second, -{seconds}, SYSUTCDATETIME())",
    Dialect.SQLITE: "strftime('%Y-%m-%d %H:%M:%f', 'now', '-{seconds} seconds') || '000'",
    Dialect.MYSQL: "UTC_TIMESTAMP(6) - INTERVAL {seconds} SECOND",
    Dialect.MARIADB: "UTC_TIMESTAMP(6) - INTERVAL {seconds} SECOND",
}


def quoted(dialect: Dialect, name: str) -> str:
    """`name` as an identifier."""
    return sqlalchemy_dialect(dialect).identifier_preparer.quote_identifier(name)


def columns(dialect: Dialect, names: Iterable[str]) -> str:
    """A list of columns, without its parentheses."""
    return ", ".join(quoted(dialect, name) for name in names)


def in_schema(dialect: Dialect, table: Table, name: str) -> str:
    """`name` in the schema of `table`; without one the connection's own is meant."""
    return f"{quoted(dialect, table.schema)}.{quoted(dialect, name)}" if table.schema else quoted(dialect, name)


def table_name(dialect: Dialect, inbox: Inbox) -> str:
    """The inbox, as a statement names it."""
    return in_schema(dialect, inbox.table, inbox.table.name)


def column_type(dialect: Dialect, key: KeyType) -> str:
    """A key column's type with its collation; what is restated without it takes the table's default."""
    return DIALECTS[dialect].key_type(key).compile(dialect=sqlalchemy_dialect(dialect))  # type: ignore[no-any-return]


def later(dialect: Dialect, moment: str, seconds: int) -> str:
    """The moment that lies `seconds` after an expression."""
    return _LATER[dialect].replace("{moment}", moment).replace("{seconds}", str(seconds))


def ago(dialect: Dialect, seconds: int) -> str:
    """The moment `seconds` before now, by the database's clock, in the form in which markers hold it."""
    return MOMENT_AGO[dialect].replace("{seconds}", str(seconds))
