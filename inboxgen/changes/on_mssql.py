"""SQL Server: one transaction; its batches go on after a failed one, so each that removes something looks first."""

from __future__ import annotations

from collections.abc import Iterable

from inboxgen.changes import sql
from inboxgen.dialects.literals import literal, text
from inboxgen.model import DedupKey, Dialect, Inbox, KeyColumn, Uniqueness
from inboxgen.names import shorten
from inboxgen.schema import default_name

MS = Dialect.MSSQL
BRIEF = (
    "One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its "
    "lock, and then everything is taken back; run the revision again."
)


def limited(statements: Iterable[str]) -> tuple[str, ...]:
    """The statements with a limit on waiting for locks; an error takes the whole transaction back."""
    found = tuple(statements)
    return ("SET XACT_ABORT ON;\nSET LOCK_TIMEOUT 5000", *found, "SET LOCK_TIMEOUT -1") if found else ()


def add_key(inbox: Inbox, key: DedupKey) -> list[str]:
    """Build a unique key."""
    table, name, columns = sql.table_name(MS, inbox), sql.quoted(MS, key.name), sql.columns(MS, key.columns)
    if key.uniqueness is Uniqueness.INDEX:
        return [f"CREATE UNIQUE INDEX {name} ON {table} ({columns})"]
    return [f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE ({columns})"]


def ensure_key(inbox: Inbox, key: DedupKey) -> list[str]:
    """Build a unique key unless it is there."""
    table = unicode(sql.table_name(MS, inbox))
    missing = f"IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID({table}) AND name = "
    return [f"{missing}{unicode(key.name)})\n    {statement}" for statement in add_key(inbox, key)]


def drop_key(inbox: Inbox, key: DedupKey, other: DedupKey) -> list[str]:
    """Remove a unique key if `other` is there and enforced."""
    table, name = sql.table_name(MS, inbox), sql.quoted(MS, key.name)
    if key.uniqueness is Uniqueness.INDEX:
        drop = f"DROP INDEX {name} ON {table}"
    else:
        drop = f"ALTER TABLE {table} DROP CONSTRAINT {name}"
    reason = f"the unique key {other.name} is missing: nothing was changed"
    return [
        f"IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID({unicode(table)})\n"
        f"        AND name = {unicode(other.name)} AND is_unique = 1 AND is_disabled = 0)\n"
        f"    THROW 50001, {unicode(reason)}, 1;\n{drop}"
    ]


def replace_key(inbox: Inbox, old: DedupKey, new: DedupKey) -> list[str]:
    """Turn a key into another one over the same columns."""
    if new.uniqueness is old.uniqueness:
        return rename_key(inbox, old, new.name)
    if new.name != old.name:
        return [*add_key(inbox, new), *drop_key(inbox, old, new)]
    interim = DedupKey(shorten(f"{old.name}_old"), old.uniqueness, old.columns)
    return [*rename_key(inbox, old, interim.name), *add_key(inbox, new), *drop_key(inbox, interim, new)]


def rename_key(inbox: Inbox, key: DedupKey, name: str) -> list[str]:
    """Give a key another name; a constraint has that of its index."""
    path = f"{sql.table_name(MS, inbox)}.{sql.quoted(MS, key.name)}"
    return [] if key.name == name else [f"EXEC sp_rename {unicode(path)}, {unicode(name)}, N'INDEX'"]


def rename_primary_key(inbox: Inbox, name: str) -> list[str]:
    """Give the primary key a name, whatever it was called in a table that was there before."""
    table = sql.table_name(MS, inbox)
    return [
        "DECLARE @key nvarchar(max) = (\n"
        f"    SELECT {unicode(f'{table}.')} + QUOTENAME(name) FROM sys.key_constraints\n"
        f"    WHERE parent_object_id = OBJECT_ID({unicode(table)}) AND type = 'PK' AND name <> {unicode(name)}\n"
        f");\nIF @key IS NOT NULL\n    EXEC sp_rename @key, {unicode(name)}, N'INDEX'"
    ]


def rename_columns(inbox: Inbox, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Give columns other names; their indexes go with them."""
    table = sql.table_name(MS, inbox)
    return [
        f"EXEC sp_rename {unicode(f'{table}.{sql.quoted(MS, was)}')}, {unicode(now)}, N'COLUMN'" for was, now in pairs
    ]


def add_column(inbox: Inbox, column: KeyColumn) -> list[str]:
    """Add a column whose old rows, and those of old replicas, get its backfill."""
    name, type_ = sql.quoted(MS, column.column), sql.column_type(MS, column.type)
    return [f"ALTER TABLE {sql.table_name(MS, inbox)} ADD {name} {type_} NOT NULL {_default(inbox, column)}"]


def drop_columns(inbox: Inbox, gone: Iterable[KeyColumn], key: DedupKey, other: DedupKey) -> list[str]:
    """Drop columns, their defaults, and the key that they are part of."""
    columns = tuple(gone)
    defaults = [each for column in columns for each in drop_default(inbox, column)]
    names = sql.columns(MS, (column.column for column in columns))
    return [*drop_key(inbox, key, other), *defaults, f"ALTER TABLE {sql.table_name(MS, inbox)} DROP COLUMN {names}"]


def set_default(inbox: Inbox, column: KeyColumn) -> list[str]:
    """Let the database fill in a column that new replicas leave out."""
    name = sql.quoted(MS, column.column)
    return [f"ALTER TABLE {sql.table_name(MS, inbox)} ADD {_default(inbox, column)} FOR {name}"]


def drop_default(inbox: Inbox, column: KeyColumn) -> list[str]:
    """A row without the column is an error again."""
    return [f"ALTER TABLE {sql.table_name(MS, inbox)} DROP CONSTRAINT {_default_name(inbox, column)}"]


def retype(inbox: Inbox, old: KeyColumn, new: KeyColumn) -> list[str]:
    """Change a column's type; only a longer one of the same kind may stay in its index
    (https://learn.microsoft.com/sql/t-sql/statements/alter-table-transact-sql).
    """
    definition = f"{sql.quoted(MS, new.column)} {sql.column_type(MS, new.type)} NOT NULL"
    alter = f"ALTER TABLE {sql.table_name(MS, inbox)} ALTER COLUMN {definition}"
    if old.type.kind is new.type.kind and old.type.length <= new.type.length:
        return [alter]
    # One batch: the table is ours from the first statement on, and XACT_ABORT gives the key back if one fails.
    name, table = sql.quoted(MS, inbox.dedup.name), sql.table_name(MS, inbox)
    drop = f"DROP INDEX {name} ON {table}"
    if inbox.uniqueness is Uniqueness.CONSTRAINT:
        drop = f"ALTER TABLE {table} DROP CONSTRAINT {name}"
    return [";\n".join((drop, alter, *add_key(inbox, inbox.dedup)))]


def unicode(value: str) -> str:
    """A literal of nvarchar."""
    return f"N{text(value)}"


def _default(inbox: Inbox, column: KeyColumn) -> str:
    return f"CONSTRAINT {_default_name(inbox, column)} DEFAULT {literal(MS, column.type, column.backfill)}"


def _default_name(inbox: Inbox, column: KeyColumn) -> str:
    return sql.quoted(MS, default_name(inbox, column.column))
