"""orders: add source

Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of
it, once no old replica is left and no marker of theirs is younger than the
retention.

Old replicas go on: the database fills the column in for them. Until the end the old
key governs beside the new one: a message that differs from a marker in the new
column alone is raised (RefusedWithoutMarker), never acknowledged and never applied
twice. Such messages end in the dead letters; replay them after the end.

Its downgrade forgets the column's values: stop the new replicas first.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

Revision ID: 2b28cb5632ef
Revises: 63c8bd6dcf4a
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import nullcontext
from itertools import groupby

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision: str = "2b28cb5632ef"
down_revision: str | Sequence[str] | None = "63c8bd6dcf4a"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None


class Outside(str):
    """A statement that PostgreSQL takes only outside of a transaction."""


# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER TABLE "inbox" ADD COLUMN IF NOT EXISTS "source" VARCHAR(40) COLLATE "C" DEFAULT \'shop\' NOT NULL',
        Outside("SET lock_timeout = 0"),
        Outside("""DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_source_consumer"')
        AND indrelid = to_regclass('"inbox"') AND NOT indisvalid) THEN
        DROP INDEX "ix_inbox_message_id_source_consumer";
    END IF;
END
$inbox$"""),
        Outside(
            'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ix_inbox_message_id_source_consumer" ON "inbox" ("message_id", "source", "consumer")'
        ),
        Outside("RESET lock_timeout"),
        "SET LOCAL lock_timeout = '2s'",
        """DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_source_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 3 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'source', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_inbox_message_id_source_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$""",
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "ALTER TABLE [inbox] ADD [source] VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL CONSTRAINT [df_inbox_source] DEFAULT 'shop'",
        "CREATE UNIQUE INDEX [ix_inbox_message_id_source_consumer] ON [inbox] ([message_id], [source], [consumer])",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "source" VARCHAR(40) COLLATE "BINARY" DEFAULT 'shop' NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'INSERT INTO "inbox_new" ("id", "message_id", "consumer", "received_at", "processed_at") SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "inbox"',
        "DELETE FROM sqlite_sequence WHERE name = 'inbox_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox'",
        'DROP TABLE "inbox"',
        'ALTER TABLE "inbox_new" RENAME TO "inbox"',
        'CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer")',
        'CREATE UNIQUE INDEX "ix_inbox_message_id_source_consumer" ON "inbox" ("message_id", "source", "consumer")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'source'), 'DO 0', 'ALTER TABLE `inbox` ADD COLUMN `source` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''shop''')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_source_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,source,consumer'), 'DO 0', 'ALTER TABLE `inbox` ADD UNIQUE INDEX `ix_inbox_message_id_source_consumer` (`message_id`, `source`, `consumer`), ALGORITHM=INPLACE, LOCK=NONE')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'source'), 'DO 0', 'ALTER TABLE `inbox` ADD COLUMN `source` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT ''shop''')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_source_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,source,consumer'), 'DO 0', 'ALTER TABLE `inbox` ADD UNIQUE INDEX `ix_inbox_message_id_source_consumer` (`message_id`, `source`, `consumer`), ALGORITHM=INPLACE, LOCK=NONE')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        """DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_inbox_message_id_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$""",
        'DROP INDEX IF EXISTS "ix_inbox_message_id_source_consumer"',
        'ALTER TABLE "inbox" DROP COLUMN IF EXISTS "source"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        """IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID(N'[inbox]')
        AND name = N'ix_inbox_message_id_consumer' AND is_unique = 1 AND is_disabled = 0)
    THROW 50001, N'the unique key ix_inbox_message_id_consumer is missing: nothing was changed', 1;
DROP INDEX [ix_inbox_message_id_source_consumer] ON [inbox]""",
        "ALTER TABLE [inbox] DROP CONSTRAINT [df_inbox_source]",
        "ALTER TABLE [inbox] DROP COLUMN [source]",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'INSERT INTO "inbox_new" ("id", "message_id", "consumer", "received_at", "processed_at") SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "inbox"',
        "DELETE FROM sqlite_sequence WHERE name = 'inbox_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox'",
        'DROP TABLE "inbox"',
        'ALTER TABLE "inbox_new" RENAME TO "inbox"',
        'CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'source') OR NOT EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` DROP INDEX `ix_inbox_message_id_source_consumer`, DROP COLUMN `source`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'source') OR NOT EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` DROP INDEX `ix_inbox_message_id_source_consumer`, DROP COLUMN `source`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

# What must return no row before that, and what its rows mean.
UPGRADE_CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
    "postgresql": (),
    "mssql": (),
    "sqlite": (
        (
            """SELECT type, name FROM sqlite_master
WHERE tbl_name = 'inbox' COLLATE NOCASE AND sql IS NOT NULL
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_message_id_consumer')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('inbox') WHERE name NOT IN ('id', 'message_id', 'consumer', 'received_at', 'processed_at')
UNION ALL
SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
WHERE child.type = 'table' AND parent."table" = 'inbox' COLLATE NOCASE
    AND (SELECT foreign_keys FROM pragma_foreign_keys)""",
            "inbox is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is",
        ),
    ),
    "mysql": (),
    "mariadb": (),
}

# What must return no row before that, and what its rows mean.
DOWNGRADE_CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
    "postgresql": (),
    "mssql": (),
    "sqlite": (
        (
            """SELECT type, name FROM sqlite_master
WHERE tbl_name = 'inbox' COLLATE NOCASE AND sql IS NOT NULL
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_message_id_consumer', 'ix_inbox_message_id_source_consumer')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('inbox') WHERE name NOT IN ('id', 'message_id', 'source', 'consumer', 'received_at', 'processed_at')
UNION ALL
SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
WHERE child.type = 'table' AND parent."table" = 'inbox' COLLATE NOCASE
    AND (SELECT foreign_keys FROM pragma_foreign_keys)""",
            "inbox is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is",
        ),
    ),
    "mysql": (),
    "mariadb": (),
}


def upgrade() -> None:
    """Send this server's UPGRADE."""
    _check(UPGRADE_CHECKS)
    _run(UPGRADE)


def downgrade() -> None:
    """Send this server's DOWNGRADE."""
    _check(DOWNGRADE_CHECKS)
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
