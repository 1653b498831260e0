"""existing_table: take over inbox

Migrate first: the table that exists becomes the inbox. It keeps its rows and gets
the dedup key; nothing else of it is altered. It stops where the table is not what
the spec says, and where two rows are one message.

Whoever writes to it already goes on, and is refused by the database when a key is
written twice.

Its downgrade leaves table and key as they are.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

Revision ID: a7ca4c2194db
Revises:
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import groupby

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision: str = "a7ca4c2194db"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


class Outside(str):
    """A statement that PostgreSQL takes only outside of a transaction."""


# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        Outside("SET lock_timeout = 0"),
        Outside("""DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"')
        AND indrelid = to_regclass('"processed_messages"') AND NOT indisvalid) THEN
        DROP INDEX "ix_processed_messages_message_id_handler";
    END IF;
END
$inbox$"""),
        Outside(
            'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler")'
        ),
        Outside("RESET lock_timeout"),
        "SET LOCAL lock_timeout = '2s'",
        """DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"processed_messages"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'handler']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_processed_messages_message_id_handler" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$""",
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        """IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID(N'[processed_messages]') AND name = N'ix_processed_messages_message_id_handler')
    CREATE UNIQUE INDEX [ix_processed_messages_message_id_handler] ON [processed_messages] ([message_id], [handler])""",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        'CREATE UNIQUE INDEX IF NOT EXISTS "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,handler'), 'DO 0', 'ALTER TABLE `processed_messages` ADD UNIQUE INDEX `ix_processed_messages_message_id_handler` (`message_id`, `handler`), ALGORITHM=INPLACE, LOCK=NONE')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,handler'), 'DO 0', 'ALTER TABLE `processed_messages` ADD UNIQUE INDEX `ix_processed_messages_message_id_handler` (`message_id`, `handler`), ALGORITHM=INPLACE, LOCK=NONE')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (),
    "mssql": (),
    "sqlite": (),
    "mysql": (),
    "mariadb": (),
}

# What must return no row before that, and what its rows mean.
UPGRADE_CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
    "postgresql": (
        (
            """SELECT relkind, relpersistence FROM pg_class
WHERE oid = to_regclass('"processed_messages"') AND (relkind <> 'r' OR relpersistence <> 'p'
    OR EXISTS (SELECT FROM pg_inherits WHERE pg_class.oid IN (inhrelid, inhparent)))""",
            "processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is",
        ),
        (
            """SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
FROM (
    SELECT 'message_id' AS name, 'character varying(100) not null' AS type
    UNION ALL SELECT 'handler' AS name, 'character varying(200) not null' AS type
    UNION ALL SELECT 'id' AS name, 'any' AS type
    UNION ALL SELECT 'created_at' AS name, 'any' AS type
    UNION ALL SELECT 'done_at' AS name, 'any' AS type
) AS wanted
LEFT JOIN (
    SELECT attname AS name, format_type(atttypid, atttypmod)
        || CASE WHEN collisdeterministic IS FALSE THEN ' nondeterministic' ELSE '' END
        || CASE WHEN attnotnull THEN ' not null' ELSE '' END AS type
    FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
    WHERE attrelid = to_regclass('"processed_messages"') AND attnum > 0 AND NOT attisdropped
) AS found ON found.name = wanted.name
WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type = wanted.type)""",
            "processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have",
        ),
        (
            """SELECT attname FROM pg_attribute
WHERE attrelid = to_regclass('"processed_messages"') AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('message_id', 'handler', 'created_at', 'done_at')
    AND (attnotnull OR attname = 'id') AND NOT atthasdef AND attidentity = ''""",
            "processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are",
        ),
        (
            """SELECT pg_get_indexdef(indexrelid) FROM pg_index
WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"') AND indisvalid AND (
    EXISTS (SELECT FROM pg_collation WHERE oid = ANY (indcollation) AND NOT collisdeterministic)
    OR NOT (indrelid = to_regclass('"processed_messages"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'handler']
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')))
)""",
            "ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
        (
            """SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
WHERE attrelid = to_regclass('"processed_messages"') AND attname IN ('created_at', 'done_at') AND atttypid <> 'timestamptz'::regtype""",
            "processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types",
        ),
        (
            """SELECT "message_id", "handler", COUNT(*)
FROM "processed_messages"
GROUP BY "message_id", "handler"
HAVING COUNT(*) > 1""",
            "processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number",
        ),
    ),
    "mssql": (
        (
            """SELECT type_desc FROM sys.objects
WHERE object_id = OBJECT_ID('[processed_messages]') AND type <> 'U'""",
            "processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is",
        ),
        (
            """SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
FROM (
    SELECT 'message_id' AS name, 'nvarchar(100) collate latin1_general_100_bin2 not null' AS type
    UNION ALL SELECT 'handler' AS name, 'nvarchar(200) collate latin1_general_100_bin2 not null' AS type
    UNION ALL SELECT 'id' AS name, 'any' AS type
    UNION ALL SELECT 'created_at' AS name, 'any' AS type
    UNION ALL SELECT 'done_at' AS name, 'any' AS type
) AS wanted
LEFT JOIN (
    SELECT COLUMN_NAME AS name, LOWER(CONCAT(
        DATA_TYPE, '(' + CAST(CHARACTER_MAXIMUM_LENGTH AS varchar(10)) + ')', ' collate ' + COLLATION_NAME,
        CASE IS_NULLABLE WHEN 'NO' THEN ' not null' END
    )) AS type
    FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = SCHEMA_NAME() AND TABLE_NAME = 'processed_messages'
) AS found ON found.name COLLATE Latin1_General_100_BIN2 = wanted.name COLLATE Latin1_General_100_BIN2
WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type COLLATE Latin1_General_100_BIN2 = wanted.type COLLATE Latin1_General_100_BIN2)""",
            "processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have",
        ),
        (
            """SELECT name FROM sys.columns
WHERE object_id = OBJECT_ID('[processed_messages]') AND name NOT IN ('message_id', 'handler', 'created_at', 'done_at') AND (is_nullable = 0 OR name = 'id')
    AND default_object_id = 0 AND is_identity = 0 AND is_computed = 0 AND system_type_id <> 189 -- rowversion""",
            "processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are",
        ),
        (
            """SELECT name FROM sys.indexes
WHERE object_id = OBJECT_ID('[processed_messages]') AND name = 'ix_processed_messages_message_id_handler' AND (
    is_unique_constraint <> 0 OR is_unique = 0 OR has_filter = 1 OR ignore_dup_key = 1
    OR is_disabled = 1 OR 'message_id, handler' <> (
        SELECT STRING_AGG(COL_NAME(part.object_id, part.column_id), ', ')
            WITHIN GROUP (ORDER BY part.key_ordinal)
        FROM sys.index_columns AS part
        WHERE part.object_id = indexes.object_id AND part.index_id = indexes.index_id
            AND part.key_ordinal > 0
    ) COLLATE Latin1_General_100_BIN2
)""",
            "ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
        (
            """SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_SCHEMA = SCHEMA_NAME() AND TABLE_NAME = 'processed_messages' AND COLUMN_NAME IN ('created_at', 'done_at')
    AND DATA_TYPE NOT IN ('datetime2', 'datetime', 'datetimeoffset')""",
            "processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types",
        ),
        (
            """SELECT [message_id], [handler], COUNT(*)
FROM [processed_messages]
GROUP BY [message_id], [handler]
HAVING COUNT(*) > 1""",
            "processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number",
        ),
    ),
    "sqlite": (
        (
            """SELECT type, name FROM sqlite_master
WHERE name = 'processed_messages' COLLATE NOCASE
    AND (type <> 'table' OR name <> 'processed_messages' OR UPPER(sql) LIKE 'CREATE VIRTUAL%')""",
            "processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is",
        ),
        (
            """SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
FROM (
    SELECT 'message_id' AS name, 'varchar(100) not null' AS type
    UNION ALL SELECT 'handler' AS name, 'varchar(200) not null' AS type
    UNION ALL SELECT 'id' AS name, 'any' AS type
    UNION ALL SELECT 'created_at' AS name, 'any' AS type
    UNION ALL SELECT 'done_at' AS name, 'any' AS type
) AS wanted
LEFT JOIN (
    SELECT name, LOWER(type) || CASE "notnull" WHEN 1 THEN ' not null' ELSE '' END AS type
    FROM pragma_table_info('processed_messages')
) AS found ON found.name = wanted.name
WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type = wanted.type)""",
            "processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have",
        ),
        (
            """SELECT name FROM pragma_table_info('processed_messages')
WHERE name NOT IN ('message_id', 'handler', 'created_at', 'done_at') AND ("notnull" OR name = 'id') AND dflt_value IS NULL
    AND NOT (name = 'id' AND pk = 1 AND LOWER(type) = 'integer')""",
            "processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are",
        ),
        (
            """SELECT name FROM sqlite_master
WHERE type = 'index' AND name = 'ix_processed_messages_message_id_handler' COLLATE NOCASE AND NOT EXISTS (
    SELECT 1 FROM pragma_index_list('processed_messages') AS kept
    WHERE kept.name = 'ix_processed_messages_message_id_handler' COLLATE NOCASE AND kept."unique" AND NOT kept.partial
        AND 'message_id, handler' COLLATE NOCASE =
            (SELECT group_concat(COALESCE(name, ''), ', ') FROM pragma_index_info('ix_processed_messages_message_id_handler'))
        AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo('ix_processed_messages_message_id_handler') WHERE key AND coll <> 'BINARY')
)""",
            "ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
        (
            """SELECT sql FROM sqlite_master
WHERE type = 'table' AND name = 'processed_messages' COLLATE NOCASE
    AND (UPPER(sql) LIKE '%NOCASE%' OR UPPER(sql) LIKE '%RTRIM%')""",
            "processed_messages compares a column without case or trailing blanks, so two messages would be one. Make the table anew without that. It was made by",
        ),
        (
            """SELECT name FROM pragma_table_info('processed_messages')
WHERE name NOT IN ('id', 'message_id', 'handler', 'created_at', 'done_at')""",
            "processed_messages has columns that the spec does not know, and a later change, which makes the table anew on SQLite, would lose them. They are",
        ),
        (
            """SELECT "message_id", "handler", COUNT(*)
FROM "processed_messages"
GROUP BY "message_id", "handler"
HAVING COUNT(*) > 1""",
            "processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number",
        ),
    ),
    "mysql": (
        (
            """SELECT table_type, engine FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
    AND (table_type <> 'BASE TABLE' OR engine <> 'InnoDB')""",
            "processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is",
        ),
        (
            """SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
FROM (
    SELECT 'message_id' AS name, 'varchar(100) collate utf8mb4_0900_bin not null' AS type
    UNION ALL SELECT 'handler' AS name, 'varchar(200) collate utf8mb4_0900_bin not null' AS type
    UNION ALL SELECT 'id' AS name, 'any' AS type
    UNION ALL SELECT 'created_at' AS name, 'any' AS type
    UNION ALL SELECT 'done_at' AS name, 'any' AS type
) AS wanted
LEFT JOIN (
    SELECT column_name AS name, CONCAT(
        data_type, COALESCE(CONCAT('(', character_maximum_length, ')'), ''),
        COALESCE(CONCAT(' collate ', collation_name), ''), IF(is_nullable = 'NO', ' not null', '')
    ) AS type
    FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
) AS found ON CAST(found.name AS BINARY) = CAST(wanted.name AS BINARY)
WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT CAST(found.type AS BINARY) = CAST(wanted.type AS BINARY))""",
            "processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have",
        ),
        (
            """SELECT column_name FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name NOT IN ('message_id', 'handler', 'created_at', 'done_at')
    AND (is_nullable = 'NO' OR column_name = 'id') AND column_default IS NULL
    AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%'""",
            "processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are",
        ),
        (
            """SELECT index_name FROM information_schema.statistics
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler'
GROUP BY index_name
HAVING MAX(non_unique) = 1 OR MAX(sub_part) IS NOT NULL OR MAX(column_name IS NULL) = 1
    OR CAST(GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', ') AS BINARY) <> CAST('message_id, handler' AS BINARY)""",
            "ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
        (
            """SELECT column_name, column_type FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name IN ('created_at', 'done_at')
    AND data_type <> 'datetime'""",
            "processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types",
        ),
        (
            """SELECT `message_id`, `handler`, COUNT(*)
FROM `processed_messages`
GROUP BY `message_id`, `handler`
HAVING COUNT(*) > 1""",
            "processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number",
        ),
    ),
    "mariadb": (
        (
            """SELECT table_type, engine FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
    AND (table_type <> 'BASE TABLE' OR engine <> 'InnoDB')""",
            "processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is",
        ),
        (
            """SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
FROM (
    SELECT 'message_id' AS name, 'varchar(100) collate utf8mb4_nopad_bin not null' AS type
    UNION ALL SELECT 'handler' AS name, 'varchar(200) collate utf8mb4_nopad_bin not null' AS type
    UNION ALL SELECT 'id' AS name, 'any' AS type
    UNION ALL SELECT 'created_at' AS name, 'any' AS type
    UNION ALL SELECT 'done_at' AS name, 'any' AS type
) AS wanted
LEFT JOIN (
    SELECT column_name AS name, CONCAT(
        data_type, COALESCE(CONCAT('(', character_maximum_length, ')'), ''),
        COALESCE(CONCAT(' collate ', collation_name), ''), IF(is_nullable = 'NO', ' not null', '')
    ) AS type
    FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
) AS found ON CAST(found.name AS BINARY) = CAST(wanted.name AS BINARY)
WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT CAST(found.type AS BINARY) = CAST(wanted.type AS BINARY))""",
            "processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have",
        ),
        (
            """SELECT column_name FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name NOT IN ('message_id', 'handler', 'created_at', 'done_at')
    AND (is_nullable = 'NO' OR column_name = 'id') AND column_default IS NULL
    AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%'""",
            "processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are",
        ),
        (
            """SELECT index_name FROM information_schema.statistics
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler'
GROUP BY index_name
HAVING MAX(non_unique) = 1 OR MAX(sub_part) IS NOT NULL OR MAX(column_name IS NULL) = 1
    OR CAST(GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', ') AS BINARY) <> CAST('message_id, handler' AS BINARY)""",
            "ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is",
        ),
        (
            """SELECT column_name, column_type FROM information_schema.columns
WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name IN ('created_at', 'done_at')
    AND data_type <> 'datetime'""",
            "processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types",
        ),
        (
            """SELECT `message_id`, `handler`, COUNT(*)
FROM `processed_messages`
GROUP BY `message_id`, `handler`
HAVING COUNT(*) > 1""",
            "processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number",
        ),
    ),
}


def upgrade() -> None:
    """Send this server's UPGRADE."""
    _check(UPGRADE_CHECKS)
    _run(UPGRADE)


def downgrade() -> None:
    """Send this server's DOWNGRADE."""
    _run(DOWNGRADE)


def _server() -> str:
    dialect = op.get_context().dialect
    # A mysql:// URL may lead to MariaDB, which has collations of its own.
    return "mariadb" if getattr(dialect, "is_mariadb", False) else dialect.name


def _run(statements: dict[str, tuple[str, ...]]) -> None:
    server, migration = _server(), op.get_context()
    if server not in statements:
        logging.getLogger("alembic.inbox").warning(
            "revision %s has no SQL for %s", revision, server
        )
    elif migration.as_sql:
        for outside, run in groupby(_script(server, statements[server]), _is_outside):
            with migration.autocommit_block() if outside else nullcontext():
                for statement in run:
                    migration.impl.static_output(f"{statement};")
                    if separator := getattr(migration.impl, "batch_separator", ""):
                        migration.impl.static_output(separator)
    else:
        if server == "sqlite":
            _begin_immediate()
        for outside, run in groupby(statements[server], _is_outside):
            with migration.autocommit_block() if outside else nullcontext():
                for statement in run:
                    op.execute(_text(statement))


def _is_outside(statement: str) -> bool:
    return isinstance(statement, Outside)


def _text(statement: str) -> sa.TextClause:
    # A colon would begin a parameter.
    return sa.text(statement.replace(":", r"\:"))


def _begin_immediate() -> None:
    # Python's sqlite3 begins none for DDL: a revision that is killed would leave half.
    connection = op.get_bind()
    driver = connection.connection.driver_connection
    if driver is not None and not driver.in_transaction:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


def _script(server: str, statements: tuple[str, ...]) -> tuple[str, ...]:
    # Alembic prints no transaction for SQLite.
    return (
        ("BEGIN IMMEDIATE", *statements, "COMMIT")
        if server == "sqlite" and statements
        else statements
    )


def _check(checks: dict[str, tuple[tuple[str, str], ...]]) -> None:
    server, migration = _server(), op.get_context()
    if server == "sqlite" and not migration.as_sql:
        _begin_immediate()
    for query, advice in checks.get(server, ()):
        if migration.as_sql:
            lines = (f"{advice}. Stop if there is one:", *f"{query};".splitlines())
            migration.impl.static_output("\n".join(f"-- {line}" for line in lines))
            continue
        rows = op.get_bind().execute(_text(query)).fetchmany(5)
        if rows:
            shown = "; ".join(", ".join(map(_shown, row)) for row in rows)
            raise CommandError(f"{advice}: {shown}")


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else str(value)
