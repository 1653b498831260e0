"""orders: narrow message id

Code first: new replicas refuse the keys that no longer fit. Migrate when no old
replica is left. It stops where a stored key does not fit.

An old replica that still runs is refused by the database when it stores such a key,
and acknowledges no such message.

Locks on PostgreSQL: The server reads the whole table meanwhile, and writers wait.
Each statement that needs the table for itself waits at most 2 seconds for it, and
then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: The server copies the table, and writers wait until that
is done.

Revision ID: c3aad6006891
Revises: 796d4cb0a0e2
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision: str = "c3aad6006891"
down_revision: str | Sequence[str] | None = "796d4cb0a0e2"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER TABLE "inbox" ALTER COLUMN "message_id" TYPE VARCHAR(100) COLLATE "C"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        """DROP INDEX [ix_inbox_message_id_consumer] ON [inbox];
ALTER TABLE [inbox] ALTER COLUMN [message_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL;
CREATE UNIQUE INDEX [ix_inbox_message_id_consumer] ON [inbox] ([message_id], [consumer])""",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
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
        "ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER TABLE "inbox" ALTER COLUMN "message_id" TYPE VARCHAR(400) COLLATE "C"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "ALTER TABLE [inbox] ALTER COLUMN [message_id] NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" VARCHAR(400) COLLATE "BINARY" NOT NULL,
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
        "ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL, ALGORITHM=INPLACE, LOCK=NONE",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL, ALGORITHM=INPLACE, LOCK=NONE",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

# What must return no row before that, and what its rows mean.
UPGRADE_CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
    "postgresql": (
        (
            """SELECT "message_id", CHAR_LENGTH("message_id")
FROM "inbox"
WHERE CHAR_LENGTH("message_id") > 100""",
            "inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length",
        ),
    ),
    "mssql": (
        (
            """SELECT [message_id], DATALENGTH([message_id]) / 2
FROM [inbox]
WHERE DATALENGTH([message_id]) / 2 > 100""",
            "inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length",
        ),
    ),
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
        (
            """SELECT "message_id", LENGTH("message_id")
FROM "inbox"
WHERE LENGTH("message_id") > 100""",
            "inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length",
        ),
    ),
    "mysql": (
        (
            """SELECT `message_id`, CHAR_LENGTH(`message_id`)
FROM `inbox`
WHERE CHAR_LENGTH(`message_id`) > 100""",
            "inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length",
        ),
    ),
    "mariadb": (
        (
            """SELECT `message_id`, CHAR_LENGTH(`message_id`)
FROM `inbox`
WHERE CHAR_LENGTH(`message_id`) > 100""",
            "inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length",
        ),
    ),
}

# What must return no row before that, and what its rows mean.
DOWNGRADE_CHECKS: dict[str, tuple[tuple[str, str], ...]] = {
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
        for statement in _script(server, statements[server]):
            migration.impl.static_output(f"{statement};")
            if separator := getattr(migration.impl, "batch_separator", ""):
                migration.impl.static_output(separator)
    else:
        if server == "sqlite":
            _begin_immediate()
        for statement in statements[server]:
            op.execute(_text(statement))


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
