"""How wide a unique key may be in each database, and how wide ours is at most.

SQL Server: 1,700 bytes for a nonclustered index, nvarchar at 2 bytes a character
(https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server). MySQL: 3,072 bytes for
an InnoDB index, utf8mb4 at 4 (https://dev.mysql.com/doc/refman/8.4/en/innodb-limits.html); MariaDB accepts more and
silently makes a hash index of it, which is refused here. PostgreSQL: a third of a page, 2,704 bytes, less the row's
header (https://www.postgresql.org/docs/current/btree.html). SQLite has no limit that a message id could reach.
"""

from __future__ import annotations

from collections.abc import Iterable

from inboxgen.model import Dialect, KeyType, Kind

WIDEST_KEY = {Dialect.MSSQL: 1700, Dialect.MYSQL: 3072, Dialect.MARIADB: 3072, Dialect.POSTGRESQL: 2700}
"""Bytes of a unique key; a dialect that is not named has no limit."""

MOST_COLUMNS = 16
"""Columns of an index: 16 in MySQL, and 32 in the others (https://dev.mysql.com/doc/refman/8.4/en/innodb-limits.html)."""

_FIXED = {Kind.UUID: 16, Kind.BIGINT: 8, Kind.DIGEST: 32}


def width(dialect: Dialect, column: KeyType) -> int:
    """The most bytes that a value of `column` takes in an index."""
    if column.kind is Kind.STRING:
        return column.length * (2 if dialect is Dialect.MSSQL else 4)
    return _FIXED.get(column.kind, column.length)


def key_width(dialect: Dialect, columns: Iterable[KeyType]) -> int:
    """The most bytes that a key of `columns` takes."""
    return sum(width(dialect, column) for column in columns)
