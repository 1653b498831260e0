"""MySQL and MariaDB: each DDL statement commits by itself, so each first looks whether it was done before.

MySQL has no IF EXISTS for columns and indexes; a prepared statement stands in for it on both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inboxgen.changes import sql
from inboxgen.dialects.limits import width
from inboxgen.dialects.literals import literal, text
from inboxgen.model import DedupKey, Dialect, Inbox, KeyColumn

BRIEF = (
    "Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; "
    "run the revision again."
)
COPY = "The server copies the table, and writers wait until that is done."


def limited(statements: Iterable[str]) -> tuple[str, ...]:
    """The statements with a limit on waiting for locks; a text that is too long is an error, not cut."""
    found = tuple(statements)
    if not found:
        return ()
    return (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        *found,
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    )


def add_key(dialect: Dialect, inbox: Inbox, key: DedupKey) -> list[str]:
    """Build a unique key while others write."""
    ddl = f"ADD UNIQUE INDEX {sql.quoted(dialect, key.name)} ({sql.columns(dialect, key.columns)})"
    return unless(_has_key(inbox, key), _alter(dialect, inbox, f"{ddl}, ALGORITHM=INPLACE, LOCK=NONE"))


def drop_key(dialect: Dialect, inbox: Inbox, key: DedupKey, other: DedupKey) -> list[str]:
    """Remove a unique key if `other` is there."""
    gone = f"NOT {_has_key(inbox, key)} OR NOT {_has_key(inbox, other)}"
    ddl = f"DROP INDEX {sql.quoted(dialect, key.name)}, ALGORITHM=INPLACE, LOCK=NONE"
    return unless(gone, _alter(dialect, inbox, ddl))


def replace_key(dialect: Dialect, inbox: Inbox, old: DedupKey, new: DedupKey) -> list[str]:
    """Turn a key into another one over the same columns; an index and a constraint are the same here."""
    return rename_key(dialect, inbox, old, new.name)


def rename_key(dialect: Dialect, inbox: Inbox, key: DedupKey, name: str) -> list[str]:
    """Give a key another name."""
    if key.name == name:
        return []
    ddl = f"RENAME INDEX {sql.quoted(dialect, key.name)} TO {sql.quoted(dialect, name)}"
    return unless(_has_key(inbox, replace(key, name=name)), _alter(dialect, inbox, ddl))


def rename_columns(dialect: Dialect, inbox: Inbox, pairs: list[tuple[str, str]]) -> list[str]:
    """Give columns other names at once; their indexes go with them."""
    if not pairs:
        return []
    ddl = ", ".join(f"RENAME COLUMN {sql.quoted(dialect, was)} TO {sql.quoted(dialect, now)}" for was, now in pairs)
    return unless(f"NOT {_has_column(inbox, pairs[0][0])}", _alter(dialect, inbox, ddl))


def add_column(dialect: Dialect, inbox: Inbox, column: KeyColumn) -> list[str]:
    """Add a column whose old rows, and those of old replicas, get its backfill."""
    default = literal(dialect, column.type, column.backfill)
    ddl = f"ADD COLUMN {_definition(dialect, column)} DEFAULT {default}"
    return unless(_has_column(inbox, column.column), _alter(dialect, inbox, ddl))


def drop_columns(
    dialect: Dialect, inbox: Inbox, gone: Iterable[KeyColumn], key: DedupKey, other: DedupKey
) -> list[str]:
    """Drop columns together with the key that they are part of: without them it would refuse new messages."""
    columns = tuple(gone)
    drops = [f"DROP INDEX {sql.quoted(dialect, key.name)}"]
    drops += [f"DROP COLUMN {sql.quoted(dialect, column.column)}" for column in columns]
    done = f"NOT {_has_column(inbox, columns[0].column)} OR NOT {_has_key(inbox, other)}"
    return unless(done, _alter(dialect, inbox, ", ".join(drops)))


def set_default(dialect: Dialect, inbox: Inbox, column: KeyColumn) -> list[str]:
    """Let the database fill in a column that new replicas leave out; it may be done twice."""
    value = literal(dialect, column.type, column.backfill)
    return [_alter(dialect, inbox, f"ALTER COLUMN {sql.quoted(dialect, column.column)} SET DEFAULT {value}")]


def drop_default(dialect: Dialect, inbox: Inbox, column: KeyColumn) -> list[str]:
    """A row without the column is an error again; it may be done twice."""
    return [_alter(dialect, inbox, f"ALTER COLUMN {sql.quoted(dialect, column.column)} DROP DEFAULT")]


def retype(dialect: Dialect, inbox: Inbox, old: KeyColumn, new: KeyColumn) -> list[str]:
    """Change a column's type, with collation and nullability restated; it may be done twice."""
    online = ", ALGORITHM=INPLACE, LOCK=NONE" if in_place(dialect, old, new) else ""
    return [_alter(dialect, inbox, f"MODIFY COLUMN {_definition(dialect, new)}{online}")]


def in_place(dialect: Dialect, old: KeyColumn, new: KeyColumn) -> bool:
    """Whether writers can go on: a length that needs a second byte or is made smaller, and another character set, have
    the table copied.

    https://dev.mysql.com/doc/refman/8.4/en/innodb-online-ddl-operations.html
    """
    before, after = width(dialect, old.type), width(dialect, new.type)
    return old.type.kind is new.type.kind and before <= after and (before < 256) == (after < 256)


def unless(done: str, ddl: str) -> list[str]:
    """Run `ddl` unless the condition `done` holds already."""
    return [
        f"SET @inbox_step = IF({done}, 'DO 0', {text(ddl)})",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
    ]


def _has_key(inbox: Inbox, key: DedupKey) -> str:
    """Another index of that name is none, and the statement that would make the key fails on it."""
    # An expression has no column, and the first letters of a column are not the column.
    parts = "GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index)"
    whole = f"HAVING MAX(non_unique) = 0 AND COUNT(*) = {len(key.columns)} AND {parts} = {text(','.join(key.columns))}"
    return _exists(inbox, "statistics", f"index_name = {text(key.name)} {whole}")


def has_table(inbox: Inbox) -> str:
    """A condition; a view of that name is none."""
    return _exists(inbox, "tables", "table_type = 'BASE TABLE'")


def has_view(inbox: Inbox) -> str:
    """A condition; a table of that name is none."""
    return _exists(inbox, "tables", "table_type = 'VIEW'")


def _has_column(inbox: Inbox, name: str) -> str:
    return _exists(inbox, "columns", f"column_name = {text(name)}")


def _exists(inbox: Inbox, catalogue: str, condition: str) -> str:
    schema = text(inbox.table.schema) if inbox.table.schema else "DATABASE()"
    return (
        f"EXISTS (SELECT 1 FROM information_schema.{catalogue} WHERE table_schema = {schema}"
        f" AND table_name = {text(inbox.table.name)} AND {condition})"
    )


def _definition(dialect: Dialect, column: KeyColumn) -> str:
    return f"{sql.quoted(dialect, column.column)} {sql.column_type(dialect, column.type)} NOT NULL"


def _alter(dialect: Dialect, inbox: Inbox, what: str) -> str:
    return f"ALTER TABLE {sql.table_name(dialect, inbox)} {what}"
