"""orders: drop old name

When no old replica is left: it drops the table's old name.

An old replica that still runs finds no table, and acknowledges nothing.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

Revision ID: 4104ff6e7ac7
Revises: fe0a7992888f
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "4104ff6e7ac7"
down_revision: str | Sequence[str] | None = "fe0a7992888f"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'DROP VIEW IF EXISTS "inbox"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "DROP VIEW [inbox]",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'CREATE VIEW "inbox" AS SELECT "id", "event_id" AS "message_id", "tenant", "handler" AS "consumer", "received_at", "done_at" AS "processed_at" FROM "orders_markers"',
        """DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"orders_markers"')
            AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || '"inbox"' || ' TO ' || held.role;
    END LOOP;
END
$inbox$""",
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "CREATE VIEW [inbox] AS SELECT [id], [event_id] AS [message_id], [tenant], [handler] AS [consumer], [received_at], [done_at] AS [processed_at] FROM [orders_markers]",
        """DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[orders_markers]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants)""",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `tenant`, `handler` AS `consumer`, `received_at`, `done_at` AS `processed_at` FROM `orders_markers`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `tenant`, `handler` AS `consumer`, `received_at`, `done_at` AS `processed_at` FROM `orders_markers`",
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
