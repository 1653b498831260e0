"""What a table that exists has to be before it becomes the inbox, as queries of the database's own catalogue.

Each query returns what differs: a key that is compared in another way, or is cut, would be another message's.
"""

from __future__ import annotations

import re

from inboxgen.changes import on_postgresql, sql
from inboxgen.changes.steps import Check
from inboxgen.dialects import mssql
from inboxgen.dialects.literals import text
from inboxgen.model import FAMILY, DedupKey, Dialect, Inbox, KeyType, Uniqueness

# Of a column that must be there, whatever its type.
_ANY = "any"

# Names and types as texts that compare in one collation: the catalogue's may not be the connection's.
_COMPARABLE = {Dialect.MYSQL: "CAST({} AS BINARY)", Dialect.MSSQL: f"{{}} COLLATE {mssql.COLLATION}"}

# Every column with its type; `{table}` and `{schema}` are literals, `{path}` names both.
_DESCRIBED = {
    Dialect.POSTGRESQL: (
        "    SELECT attname AS name, format_type(atttypid, atttypmod)\n"
        "        || CASE WHEN collisdeterministic IS FALSE THEN ' nondeterministic' ELSE '' END\n"
        "        || CASE WHEN attnotnull THEN ' not null' ELSE '' END AS type\n"
        "    FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation\n"
        "    WHERE attrelid = to_regclass({path}) AND attnum > 0 AND NOT attisdropped"
    ),
    Dialect.MSSQL: (
        "    SELECT COLUMN_NAME AS name, LOWER(CONCAT(\n"
        "        DATA_TYPE, '(' + CAST(CHARACTER_MAXIMUM_LENGTH AS varchar(10)) + ')', ' collate ' + COLLATION_NAME,\n"
        "        CASE IS_NULLABLE WHEN 'NO' THEN ' not null' END\n"
        "    )) AS type\n"
        "    FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {table}"
    ),
    Dialect.SQLITE: (
        "    SELECT name, LOWER(type) || CASE \"notnull\" WHEN 1 THEN ' not null' ELSE '' END AS type\n"
        "    FROM pragma_table_info({table})"
    ),
    Dialect.MYSQL: (
        "    SELECT column_name AS name, CONCAT(\n"
        "        data_type, COALESCE(CONCAT('(', character_maximum_length, ')'), ''),\n"
        "        COALESCE(CONCAT(' collate ', collation_name), ''), IF(is_nullable = 'NO', ' not null', '')\n"
        "    ) AS type\n"
        "    FROM information_schema.columns WHERE table_schema = {schema} AND table_name = {table}"
    ),
}

# The table unless its rows are kept, and are rolled back with a transaction.
_NOT_PLAIN = {
    Dialect.POSTGRESQL: (
        "SELECT relkind, relpersistence FROM pg_class\n"
        "WHERE oid = to_regclass({path}) AND (relkind <> 'r' OR relpersistence <> 'p'\n"
        "    OR EXISTS (SELECT FROM pg_inherits WHERE pg_class.oid IN (inhrelid, inhparent)))"
    ),
    Dialect.MSSQL: "SELECT type_desc FROM sys.objects\nWHERE object_id = OBJECT_ID({path}) AND type <> 'U'",
    Dialect.SQLITE: (
        "SELECT type, name FROM sqlite_master\n"
        "WHERE name = {table} COLLATE NOCASE\n"
        "    AND (type <> 'table' OR name <> {table} OR UPPER(sql) LIKE 'CREATE VIRTUAL%')"
    ),
    Dialect.MYSQL: (
        "SELECT table_type, engine FROM information_schema.tables\n"
        "WHERE table_schema = {schema} AND table_name = {table}\n"
        "    AND (table_type <> 'BASE TABLE' OR engine <> 'InnoDB')"
    ),
}

# The index of a name unless it is unique over exactly these columns; `{key}` is its name, `{columns}` a list in text.
_OTHER_KEY = {
    Dialect.POSTGRESQL: (
        "SELECT pg_get_indexdef(indexrelid) FROM pg_index\n"
        "WHERE indexrelid = to_regclass({key_path}) AND indisvalid AND (\n"
        "    EXISTS (SELECT FROM pg_collation WHERE oid = ANY (indcollation) AND NOT collisdeterministic)\n"
        "    OR NOT ({is_key})\n)"
    ),
    Dialect.MSSQL: (
        "SELECT name FROM sys.indexes\n"
        "WHERE object_id = OBJECT_ID({path}) AND name = {key} AND (\n"
        "    is_unique_constraint <> {is_constraint} OR is_unique = 0 OR has_filter = 1 OR ignore_dup_key = 1\n"
        "    OR is_disabled = 1 OR {columns} <> (\n"
        "        SELECT STRING_AGG(COL_NAME(part.object_id, part.column_id), ', ')\n"
        "            WITHIN GROUP (ORDER BY part.key_ordinal)\n"
        "        FROM sys.index_columns AS part\n"
        "        WHERE part.object_id = indexes.object_id AND part.index_id = indexes.index_id\n"
        "            AND part.key_ordinal > 0\n"
        "    ) COLLATE " + mssql.COLLATION + "\n)"
    ),
    # Names are one without case here: `IF NOT EXISTS` would take another table's index for ours.
    Dialect.SQLITE: (
        "SELECT name FROM sqlite_master\n"
        "WHERE type = 'index' AND name = {key} COLLATE NOCASE AND NOT EXISTS (\n"
        "    SELECT 1 FROM pragma_index_list({table}) AS kept\n"
        '    WHERE kept.name = {key} COLLATE NOCASE AND kept."unique" AND NOT kept.partial\n'
        "        AND {columns} COLLATE NOCASE =\n"
        "            (SELECT group_concat(COALESCE(name, ''), ', ') FROM pragma_index_info({key}))\n"
        "        AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo({key}) WHERE key AND coll <> 'BINARY')\n)"
    ),
    Dialect.MYSQL: (
        "SELECT index_name FROM information_schema.statistics\n"
        "WHERE table_schema = {schema} AND table_name = {table} AND index_name = {key}\n"
        "GROUP BY index_name\n"
        "HAVING MAX(non_unique) = 1 OR MAX(sub_part) IS NOT NULL OR MAX(column_name IS NULL) = 1\n"
        "    OR CAST(GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', ') AS BINARY)"
        " <> CAST({columns} AS BINARY)"
    ),
}

# Columns that a claim leaves out, and nothing fills in; `{written}` are those that it writes.
_UNFILLED = {
    Dialect.POSTGRESQL: (
        "SELECT attname FROM pg_attribute\n"
        "WHERE attrelid = to_regclass({path}) AND attnum > 0 AND NOT attisdropped AND attname NOT IN ({written})\n"
        "    AND (attnotnull OR attname = {id}) AND NOT atthasdef AND attidentity = ''"
    ),
    Dialect.MSSQL: (
        "SELECT name FROM sys.columns\n"
        "WHERE object_id = OBJECT_ID({path}) AND name NOT IN ({written}) AND (is_nullable = 0 OR name = {id})\n"
        "    AND default_object_id = 0 AND is_identity = 0 AND is_computed = 0 AND system_type_id <> 189 -- rowversion"
    ),
    Dialect.SQLITE: (
        "SELECT name FROM pragma_table_info({table})\n"
        'WHERE name NOT IN ({written}) AND ("notnull" OR name = {id}) AND dflt_value IS NULL\n'
        "    AND NOT (name = {id} AND pk = 1 AND LOWER(type) = 'integer')"
    ),
    Dialect.MYSQL: (
        "SELECT column_name FROM information_schema.columns\n"
        "WHERE table_schema = {schema} AND table_name = {table} AND column_name NOT IN ({written})\n"
        "    AND (is_nullable = 'NO' OR column_name = {id}) AND column_default IS NULL\n"
        "    AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%'"
    ),
}

# Times that would be another zone's: of the session, say.
_ZONED = {
    Dialect.POSTGRESQL: (
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute\n"
        "WHERE attrelid = to_regclass({path}) AND attname IN ({times}) AND atttypid <> 'timestamptz'::regtype"
    ),
    Dialect.MSSQL: (
        "SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS\n"
        "WHERE TABLE_SCHEMA = {schema} AND TABLE_NAME = {table} AND COLUMN_NAME IN ({times})\n"
        "    AND DATA_TYPE NOT IN ('datetime2', 'datetime', 'datetimeoffset')"
    ),
    Dialect.MYSQL: (
        "SELECT column_name, column_type FROM information_schema.columns\n"
        "WHERE table_schema = {schema} AND table_name = {table} AND column_name IN ({times})\n"
        "    AND data_type <> 'datetime'"
    ),
}

# SQLite tells a column's collation nowhere but in the statement that made the table.
_COLLATED = (
    "SELECT sql FROM sqlite_master\n"
    "WHERE type = 'table' AND name = {table} COLLATE NOCASE\n"
    "    AND (UPPER(sql) LIKE '%NOCASE%' OR UPPER(sql) LIKE '%RTRIM%')"
)
_FOREIGN_ON_SQLITE = "SELECT name FROM pragma_table_info({table})\nWHERE name NOT IN ({id}, {written})"


def unlike(inbox: Inbox, dialect: Dialect) -> tuple[Check, ...]:
    """The checks that the table is the inbox already but for its key."""
    table = inbox.table
    name = table.name
    found = [
        Check(
            _filled(_NOT_PLAIN[_room(dialect)], inbox, dialect),
            f"{name} is not a plain table of just that name, whose rows are kept and are rolled back with a "
            "transaction. It is",
        ),
        Check(
            _columns(inbox, dialect),
            f"{name} does not have the columns that the spec says. Alter the table or the spec. They are, with the "
            "type that they should have and the one that they have",
        ),
        Check(
            _filled(_UNFILLED[_room(dialect)], inbox, dialect),
            f"{name} has columns that must have a value, and a claim gives them none. Give each a default, and "
            f"{table.id} numbers of its own. They are",
        ),
        Check(
            _filled(_OTHER_KEY[_room(dialect)], inbox, dialect, inbox.dedup),
            f"{inbox.dedup.name} is there and is not the dedup key of {name} with `uniqueness: {inbox.uniqueness}`. "
            "Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
    ]
    if zoned := _ZONED.get(_room(dialect)):
        found.append(
            Check(
                _filled(zoned, inbox, dialect),
                f"{name} has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They "
                "are, with their types",
            )
        )
    if dialect is Dialect.SQLITE:
        found += [
            Check(
                _filled(_COLLATED, inbox, dialect),
                f"{name} compares a column without case or trailing blanks, so two messages would be one. Make the "
                "table anew without that. It was made by",
            ),
            Check(
                _filled(_FOREIGN_ON_SQLITE, inbox, dialect),
                f"{name} has columns that the spec does not know, and a later change, which makes the table anew on "
                "SQLite, would lose them. They are",
            ),
        ]
    return tuple(found)


def _room(dialect: Dialect) -> Dialect:
    return Dialect.MYSQL if dialect in FAMILY else dialect


def _columns(inbox: Inbox, dialect: Dialect) -> str:
    table = inbox.table
    wanted = {column.column: _declared(dialect, column.type) for column in inbox.key}
    wanted[table.consumer] = _declared(dialect, inbox.consumer_type)
    wanted |= dict.fromkeys((table.id, table.received_at, table.processed_at), _ANY)
    first, *others = (f"{text(name)} AS name, {text(type_)} AS type" for name, type_ in wanted.items())
    rows = "\n".join((f"    SELECT {first}", *(f"    UNION ALL SELECT {row}" for row in others)))
    comparable = _COMPARABLE.get(_room(dialect), "{}").format
    same_name, same_type = (
        f"{comparable(f'found.{column}')} = {comparable(f'wanted.{column}')}" for column in ("name", "type")
    )
    return (
        "SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')\n"
        f"FROM (\n{rows}\n) AS wanted\n"
        f"LEFT JOIN (\n{_filled(_DESCRIBED[_room(dialect)], inbox, dialect)}\n) AS found ON {same_name}\n"
        f"WHERE found.name IS NULL OR (wanted.type <> {text(_ANY)} AND NOT {same_type})"
    )


def _declared(dialect: Dialect, key: KeyType) -> str:
    """The type as the catalogue tells it; PostgreSQL compares byte by byte in every deterministic collation."""
    declared = sql.column_type(dialect, key).lower()
    if dialect is Dialect.POSTGRESQL:
        declared = declared.partition(" collate")[0].replace("varchar", "character varying")
    elif dialect is Dialect.SQLITE:
        declared = declared.partition(" collate")[0]
    elif dialect in FAMILY:
        declared = re.sub(r" character set \w+", "", declared)
    return f"{declared} not null"


def _is_key_on_postgresql(inbox: Inbox, key: DedupKey) -> str:
    """An index can become a constraint, but the index of a constraint is not dropped by its name."""
    index = on_postgresql.is_key(inbox, key)
    if key.uniqueness is Uniqueness.CONSTRAINT:
        return index
    known = "SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')"
    return f"{index}\n        AND NOT EXISTS ({known})"


def _filled(query: str, inbox: Inbox, dialect: Dialect, key: DedupKey | None = None) -> str:
    table = inbox.table
    own_schema = "SCHEMA_NAME()" if dialect is Dialect.MSSQL else "DATABASE()"
    times = (table.received_at, table.processed_at)
    written = (*inbox.dedup_columns, *times)
    return query.format(
        path=text(sql.table_name(dialect, inbox)),
        schema=text(table.schema) if table.schema else own_schema,
        table=text(table.name),
        key=text(key.name) if key else "",
        key_path=text(sql.in_schema(dialect, table, key.name)) if key else "",
        columns=text(", ".join(key.columns)) if key else "",
        is_key=_is_key_on_postgresql(inbox, key) if key else "",
        is_constraint=int(key.uniqueness is Uniqueness.CONSTRAINT) if key else "",
        id=text(table.id),
        times=", ".join(map(text, times)),
        written=", ".join(map(text, written)),
    )
