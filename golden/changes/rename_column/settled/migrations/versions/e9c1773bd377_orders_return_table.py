"""orders: return table

When no replica is left that knows the columns' old names: migrate first, then
deploy the code, the second release. `inboxgen new ... --settled` drops the name
inbox_next once no replica of the first release is left.

The table is called inbox again, and inbox_next is a view of it (on SQL Server a
synonym): replicas of the first release go on with it. On MySQL and MariaDB they
fail for a moment, and redelivery brings those messages back. On SQLite stop them
first.

A replica from before the first release that still runs does not find its columns,
and acknowledges nothing.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

Revision ID: e9c1773bd377
Revises: 41f711c4cd03
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision: str = "e9c1773bd377"
down_revision: str | Sequence[str] | None = "41f711c4cd03"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'DROP VIEW IF EXISTS "inbox"',
        'ALTER TABLE "inbox_next" RENAME TO "inbox"',
        'CREATE VIEW "inbox_next" AS SELECT "id", "event_id", "consumer", "received_at", "processed_at" FROM "inbox"',
        """DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"inbox"')
            AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || '"inbox_next"' || ' TO ' || held.role;
    END LOOP;
END
$inbox$""",
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "DROP VIEW [inbox]",
        "EXEC sp_rename N'[inbox_next]', N'inbox'",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX'""",
        "CREATE SYNONYM [inbox_next] FOR [inbox]",
        """DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox_next] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[inbox]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants)""",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'INSERT INTO "inbox_new" ("id", "event_id", "consumer", "received_at", "processed_at") SELECT "id", "event_id", "consumer", "received_at", "processed_at" FROM "inbox_next"',
        "DELETE FROM sqlite_sequence WHERE name = 'inbox_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox_next'",
        'DROP TABLE "inbox_next"',
        'ALTER TABLE "inbox_new" RENAME TO "inbox"',
        'CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox" ("event_id", "consumer")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox_next` TO `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox_next` AS SELECT `id`, `event_id`, `consumer`, `received_at`, `processed_at` FROM `inbox`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox_next` TO `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox_next` AS SELECT `id`, `event_id`, `consumer`, `received_at`, `processed_at` FROM `inbox`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'DROP VIEW IF EXISTS "inbox_next"',
        'ALTER TABLE "inbox" RENAME TO "inbox_next"',
        'CREATE VIEW "inbox" AS SELECT "id", "event_id" AS "message_id", "consumer", "received_at", "processed_at" FROM "inbox_next"',
        """DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"inbox_next"')
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
        "DROP SYNONYM [inbox_next]",
        "EXEC sp_rename N'[inbox]', N'inbox_next'",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[inbox_next].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox_next]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX'""",
        "CREATE VIEW [inbox] AS SELECT [id], [event_id] AS [message_id], [consumer], [received_at], [processed_at] FROM [inbox_next]",
        """DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[inbox_next]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants)""",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_next_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'INSERT INTO "inbox_next_new" ("id", "event_id", "consumer", "received_at", "processed_at") SELECT "id", "event_id", "consumer", "received_at", "processed_at" FROM "inbox"',
        "DELETE FROM sqlite_sequence WHERE name = 'inbox_next_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_next_new', seq FROM sqlite_sequence WHERE name = 'inbox'",
        'DROP TABLE "inbox"',
        'ALTER TABLE "inbox_next_new" RENAME TO "inbox_next"',
        'CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox_next" ("event_id", "consumer")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox_next`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `inbox_next`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `consumer`, `received_at`, `processed_at` FROM `inbox_next`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox_next`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `inbox_next`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `consumer`, `received_at`, `processed_at` FROM `inbox_next`",
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
WHERE tbl_name = 'inbox_next' COLLATE NOCASE AND sql IS NOT NULL
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_event_id_consumer')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('inbox_next') WHERE name NOT IN ('id', 'event_id', 'consumer', 'received_at', 'processed_at')
UNION ALL
SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
WHERE child.type = 'table' AND parent."table" = 'inbox_next' COLLATE NOCASE
    AND (SELECT foreign_keys FROM pragma_foreign_keys)""",
            "inbox_next is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is",
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
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_event_id_consumer')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('inbox') WHERE name NOT IN ('id', 'event_id', 'consumer', 'received_at', 'processed_at')
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
