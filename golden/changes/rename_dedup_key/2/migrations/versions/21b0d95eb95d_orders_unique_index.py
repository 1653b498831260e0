"""orders: unique index

Migrate first. The new unique key is there before the old one goes; there is no
moment without one.

Old replicas notice nothing: a claim that either key refuses is looked up by its
marker.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

Revision ID: 21b0d95eb95d
Revises: 3076edbbaeaa
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "21b0d95eb95d"
down_revision: str | Sequence[str] | None = "3076edbbaeaa"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER INDEX "ix_inbox_message_id_consumer" RENAME TO "once_only"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "EXEC sp_rename N'[inbox].[ix_inbox_message_id_consumer]', N'once_only', N'INDEX'",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        'CREATE UNIQUE INDEX "once_only" ON "inbox" ("message_id", "consumer")',
        'DROP INDEX "ix_inbox_message_id_consumer"',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'once_only' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `ix_inbox_message_id_consumer` TO `once_only`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'once_only' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `ix_inbox_message_id_consumer` TO `once_only`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER INDEX "once_only" RENAME TO "ix_inbox_message_id_consumer"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "EXEC sp_rename N'[inbox].[once_only]', N'ix_inbox_message_id_consumer', N'INDEX'",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        'CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer")',
        'DROP INDEX "once_only"',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `once_only` TO `ix_inbox_message_id_consumer`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `once_only` TO `ix_inbox_message_id_consumer`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}


def upgrade() -> None:
    """Send this server's UPGRADE."""
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
