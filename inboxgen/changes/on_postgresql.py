"""PostgreSQL: short locks with a limit, indexes built beside the writers, and a guard before the old key goes."""

from __future__ import annotations

from collections.abc import Iterable

from inboxgen.changes import sql
from inboxgen.changes.steps import Outside
from inboxgen.dialects.literals import literal, text
from inboxgen.model import DedupKey, Dialect, Inbox, KeyColumn, Uniqueness
from inboxgen.names import shorten

PG = Dialect.POSTGRESQL
# A statement that waits for its lock makes every later one wait behind it.
_LIMIT = "SET LOCAL lock_timeout = '2s'"
BRIEF = (
    "Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; "
    "run the revision again."
)


def limited(statements: Iterable[str]) -> tuple[str, ...]:
    """The statements with a limit on waiting for locks in each of their transactions."""
    found: list[str] = []
    inside = False
    for statement in statements:
        outside = isinstance(statement, Outside)
        if not outside and not inside:
            found.append(_LIMIT)
        inside = not outside
        if found[-1:] != [statement]:  # what guards the new key as it is built guards the old one's end too
            found.append(statement)
    return tuple(found)


def add_key(inbox: Inbox, key: DedupKey) -> list[str]:
    """Build a unique key while others write, and stop where it did not become valid."""
    name, table = sql.in_schema(PG, inbox.table, key.name), sql.table_name(PG, inbox)
    statements = [
        # The limit would also end the wait for older transactions, and leave an index that is not valid.
        Outside("SET lock_timeout = 0"),
        Outside(
            "DO $inbox$\nBEGIN\n"
            f"    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass({text(name)})\n"
            f"        AND indrelid = to_regclass({text(table)}) AND NOT indisvalid) THEN\n"
            f"        DROP INDEX {name};\n"
            "    END IF;\nEND\n$inbox$"
        ),
        Outside(
            f"CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS {sql.quoted(PG, key.name)}"
            f" ON {table} ({sql.columns(PG, key.columns)})"
        ),
        Outside("RESET lock_timeout"),
        _guard(inbox, key),
    ]
    if key.uniqueness is Uniqueness.CONSTRAINT:
        statements.append(_adopt(inbox, key.name, key.name))
    return statements


def ensure_key(inbox: Inbox, key: DedupKey) -> list[str]:
    """Build a unique key unless it is there."""
    if key.uniqueness is Uniqueness.INDEX:
        return add_key(inbox, key)
    *build, adopt = add_key(inbox, key)
    table = text(sql.table_name(PG, inbox))
    known = f"SELECT FROM pg_constraint WHERE conrelid = to_regclass({table}) AND conname = {text(key.name)}"
    return [*build, f"DO $inbox$\nBEGIN\n    IF NOT EXISTS ({known}) THEN\n        {adopt};\n    END IF;\nEND\n$inbox$"]


def drop_key(inbox: Inbox, key: DedupKey, other: DedupKey) -> list[str]:
    """Remove a unique key if `other` is there and enforced."""
    if key.uniqueness is Uniqueness.INDEX:
        drop = f"DROP INDEX IF EXISTS {sql.in_schema(PG, inbox.table, key.name)}"
    else:
        drop = f"ALTER TABLE {sql.table_name(PG, inbox)} DROP CONSTRAINT IF EXISTS {sql.quoted(PG, key.name)}"
    return [_guard(inbox, other), drop]


def replace_key(inbox: Inbox, old: DedupKey, new: DedupKey) -> list[str]:
    """Turn a key into another one over the same columns."""
    if new.uniqueness is old.uniqueness:
        return rename_key(inbox, old, new.name)
    if new.uniqueness is Uniqueness.CONSTRAINT:
        return [_adopt(inbox, new.name, old.name)]
    if new.name != old.name:
        return [*add_key(inbox, new), *drop_key(inbox, old, new)]
    interim = DedupKey(shorten(f"{new.name}_new"), new.uniqueness, new.columns)
    return [*add_key(inbox, interim), *drop_key(inbox, old, interim), *rename_key(inbox, interim, new.name)]


def rename_key(inbox: Inbox, key: DedupKey, name: str) -> list[str]:
    """Give a key another name."""
    if key.name == name:
        return []
    if key.uniqueness is Uniqueness.INDEX:
        return [f"ALTER INDEX {sql.in_schema(PG, inbox.table, key.name)} RENAME TO {sql.quoted(PG, name)}"]
    return [rename_constraint(inbox, key.name, name)]


def rename_columns(inbox: Inbox, pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Give columns other names; their indexes go with them."""
    table = sql.table_name(PG, inbox)
    return [f"ALTER TABLE {table} RENAME COLUMN {sql.quoted(PG, was)} TO {sql.quoted(PG, now)}" for was, now in pairs]


def rename_constraint(inbox: Inbox, old: str, new: str) -> str:
    """Give a constraint, and the index behind it, another name."""
    table = sql.table_name(PG, inbox)
    return f"ALTER TABLE {table} RENAME CONSTRAINT {sql.quoted(PG, old)} TO {sql.quoted(PG, new)}"


def rename_primary_key(inbox: Inbox, name: str) -> str:
    """Give the primary key a name, whatever it was called in a table that was there before."""
    table = sql.table_name(PG, inbox)
    rename = f"ALTER TABLE {table.replace('%', '%%')} RENAME CONSTRAINT %I TO %I"
    return (
        "DO $inbox$\nDECLARE\n"
        f"    held text := (SELECT conname FROM pg_constraint WHERE conrelid = to_regclass({text(table)})"
        " AND contype = 'p');\nBEGIN\n"
        f"    IF held <> {text(name)} THEN\n"
        f"        EXECUTE format({text(rename)}, held, {text(name)});\n"
        "    END IF;\nEND\n$inbox$"
    )


def add_column(inbox: Inbox, column: KeyColumn) -> list[str]:
    """Add a column whose old rows, and those of old replicas, get its backfill."""
    default = literal(PG, column.type, column.backfill)
    definition = f"{sql.column_type(PG, column.type)} DEFAULT {default} NOT NULL"
    name = sql.quoted(PG, column.column)
    return [f"ALTER TABLE {sql.table_name(PG, inbox)} ADD COLUMN IF NOT EXISTS {name} {definition}"]


def drop_columns(inbox: Inbox, gone: Iterable[KeyColumn], key: DedupKey, other: DedupKey) -> list[str]:
    """Drop columns together with the key that they are part of, if `other` is enforced."""
    drops = [f"DROP COLUMN IF EXISTS {sql.quoted(PG, column.column)}" for column in gone]
    return [*drop_key(inbox, key, other), f"ALTER TABLE {sql.table_name(PG, inbox)} {', '.join(drops)}"]


def set_default(inbox: Inbox, column: KeyColumn) -> list[str]:
    """Let the database fill in a column that new replicas leave out."""
    value = literal(PG, column.type, column.backfill)
    return [f"ALTER TABLE {sql.table_name(PG, inbox)} ALTER COLUMN {sql.quoted(PG, column.column)} SET DEFAULT {value}"]


def drop_default(inbox: Inbox, column: KeyColumn) -> list[str]:
    """A row without the column is an error again."""
    return [f"ALTER TABLE {sql.table_name(PG, inbox)} ALTER COLUMN {sql.quoted(PG, column.column)} DROP DEFAULT"]


def retype(inbox: Inbox, old: KeyColumn, new: KeyColumn) -> list[str]:
    """Change a column's type; without its collation restated, the whole table would be written again."""
    before, after = (sql.column_type(PG, column.type) for column in (old, new))
    if before == after:
        return []
    return [f"ALTER TABLE {sql.table_name(PG, inbox)} ALTER COLUMN {sql.quoted(PG, new.column)} TYPE {after}"]


def _adopt(inbox: Inbox, constraint: str, index: str) -> str:
    table, name = sql.table_name(PG, inbox), sql.quoted(PG, constraint)
    return f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE USING INDEX {sql.quoted(PG, index)}"


def is_key(inbox: Inbox, key: DedupKey) -> str:
    """A condition on a row of pg_index: of this table, and unique over all rows by just these columns."""
    return (
        f"indrelid = to_regclass({text(sql.table_name(PG, inbox))}) AND indisunique AND indimmediate\n"
        f"        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = {len(key.columns)} AND ARRAY(\n"
        "            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)\n"
        "            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place\n"
        f"        ) = ARRAY[{', '.join(map(text, key.columns))}]"
    )


def _guard(inbox: Inbox, key: DedupKey) -> str:
    name = sql.in_schema(PG, inbox.table, key.name)
    reason = f"the unique key {name} is not there or not valid: run this again, or rename what has its name"
    return (
        "DO $inbox$\nBEGIN\n"
        "    IF NOT EXISTS (\n"
        f"        SELECT FROM pg_index WHERE indexrelid = to_regclass({text(name)}) AND indisvalid AND indisready\n"
        f"        AND {is_key(inbox, key)}\n"
        "    ) THEN\n"
        f"        RAISE EXCEPTION USING MESSAGE = {text(reason)};\n"
        "    END IF;\nEND\n$inbox$"
    )
