"""orders: rename table

Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name
once no old replica is left.

Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a
synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename
and view, and redelivery brings those messages back. On SQLite stop old replicas
first: they find no table, and acknowledge nothing.

The old name is a view there, on SQL Server too, and shows the columns under their
old names.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

Locks on SQLite: One transaction, for which writers wait; their claims are
IN_PROGRESS if that is longer than their time-out.

Locks on MySQL and MariaDB: Writers go on while it works; each statement waits at
most 5 seconds for its lock, and then fails; run the revision again.

MySQL and MariaDB: Before the code, give its account the rights on the new name:
GRANT SELECT, INSERT ON `orders_markers` TO ...

Revision ID: fe0a7992888f
Revises: 22cd07f987d4
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision: str = "fe0a7992888f"
down_revision: str | Sequence[str] | None = "22cd07f987d4"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER TABLE "inbox" RENAME TO "orders_markers"',
        'ALTER TABLE "orders_markers" RENAME COLUMN "message_id" TO "event_id"',
        'ALTER TABLE "orders_markers" RENAME COLUMN "consumer" TO "handler"',
        'ALTER TABLE "orders_markers" RENAME COLUMN "processed_at" TO "done_at"',
        """DO $inbox$
DECLARE
    held text := (SELECT conname FROM pg_constraint WHERE conrelid = to_regclass('"orders_markers"') AND contype = 'p');
BEGIN
    IF held <> 'pk_orders_markers' THEN
        EXECUTE format('ALTER TABLE "orders_markers" RENAME CONSTRAINT %I TO %I', held, 'pk_orders_markers');
    END IF;
END
$inbox$""",
        'ALTER INDEX "ix_inbox_message_id_tenant_consumer" RENAME TO "ix_orders_markers_event_id_tenant_handler"',
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
        "EXEC sp_rename N'[inbox]', N'orders_markers'",
        "EXEC sp_rename N'[orders_markers].[message_id]', N'event_id', N'COLUMN'",
        "EXEC sp_rename N'[orders_markers].[consumer]', N'handler', N'COLUMN'",
        "EXEC sp_rename N'[orders_markers].[processed_at]', N'done_at', N'COLUMN'",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[orders_markers].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[orders_markers]') AND type = 'PK' AND name <> N'pk_orders_markers'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_orders_markers', N'INDEX'""",
        "EXEC sp_rename N'[orders_markers].[ix_inbox_message_id_tenant_consumer]', N'ix_orders_markers_event_id_tenant_handler', N'INDEX'",
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
    "sqlite": (
        """CREATE TABLE "orders_markers_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "tenant" BIGINT NOT NULL,
    "handler" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "done_at" DATETIME
)""",
        'INSERT INTO "orders_markers_new" ("id", "event_id", "tenant", "handler", "received_at", "done_at") SELECT "id", "message_id", "tenant", "consumer", "received_at", "processed_at" FROM "inbox"',
        "DELETE FROM sqlite_sequence WHERE name = 'orders_markers_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'orders_markers_new', seq FROM sqlite_sequence WHERE name = 'inbox'",
        'DROP TABLE "inbox"',
        'ALTER TABLE "orders_markers_new" RENAME TO "orders_markers"',
        'CREATE UNIQUE INDEX "ix_orders_markers_event_id_tenant_handler" ON "orders_markers" ("event_id", "tenant", "handler")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `orders_markers`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND column_name = 'message_id'), 'DO 0', 'ALTER TABLE `orders_markers` RENAME COLUMN `message_id` TO `event_id`, RENAME COLUMN `consumer` TO `handler`, RENAME COLUMN `processed_at` TO `done_at`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND index_name = 'ix_orders_markers_event_id_tenant_handler' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'event_id,tenant,handler'), 'DO 0', 'ALTER TABLE `orders_markers` RENAME INDEX `ix_inbox_message_id_tenant_consumer` TO `ix_orders_markers_event_id_tenant_handler`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `tenant`, `handler` AS `consumer`, `received_at`, `done_at` AS `processed_at` FROM `orders_markers`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
    "mariadb": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `orders_markers`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND column_name = 'message_id'), 'DO 0', 'ALTER TABLE `orders_markers` RENAME COLUMN `message_id` TO `event_id`, RENAME COLUMN `consumer` TO `handler`, RENAME COLUMN `processed_at` TO `done_at`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND index_name = 'ix_orders_markers_event_id_tenant_handler' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'event_id,tenant,handler'), 'DO 0', 'ALTER TABLE `orders_markers` RENAME INDEX `ix_inbox_message_id_tenant_consumer` TO `ix_orders_markers_event_id_tenant_handler`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `tenant`, `handler` AS `consumer`, `received_at`, `done_at` AS `processed_at` FROM `orders_markers`",
        "SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'DROP VIEW IF EXISTS "inbox"',
        'ALTER TABLE "orders_markers" RENAME TO "inbox"',
        'ALTER TABLE "inbox" RENAME COLUMN "event_id" TO "message_id"',
        'ALTER TABLE "inbox" RENAME COLUMN "handler" TO "consumer"',
        'ALTER TABLE "inbox" RENAME COLUMN "done_at" TO "processed_at"',
        """DO $inbox$
DECLARE
    held text := (SELECT conname FROM pg_constraint WHERE conrelid = to_regclass('"inbox"') AND contype = 'p');
BEGIN
    IF held <> 'pk_inbox' THEN
        EXECUTE format('ALTER TABLE "inbox" RENAME CONSTRAINT %I TO %I', held, 'pk_inbox');
    END IF;
END
$inbox$""",
        'ALTER INDEX "ix_orders_markers_event_id_tenant_handler" RENAME TO "ix_inbox_message_id_tenant_consumer"',
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "DROP VIEW [inbox]",
        "EXEC sp_rename N'[orders_markers]', N'inbox'",
        "EXEC sp_rename N'[inbox].[event_id]', N'message_id', N'COLUMN'",
        "EXEC sp_rename N'[inbox].[handler]', N'consumer', N'COLUMN'",
        "EXEC sp_rename N'[inbox].[done_at]', N'processed_at', N'COLUMN'",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX'""",
        "EXEC sp_rename N'[inbox].[ix_orders_markers_event_id_tenant_handler]', N'ix_inbox_message_id_tenant_consumer', N'INDEX'",
        "SET LOCK_TIMEOUT -1",
    ),
    "sqlite": (
        """CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "tenant" BIGINT NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'INSERT INTO "inbox_new" ("id", "message_id", "tenant", "consumer", "received_at", "processed_at") SELECT "id", "event_id", "tenant", "handler", "received_at", "done_at" FROM "orders_markers"',
        "DELETE FROM sqlite_sequence WHERE name = 'inbox_new'",
        "INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'orders_markers'",
        'DROP TABLE "orders_markers"',
        'ALTER TABLE "inbox_new" RENAME TO "inbox"',
        'CREATE UNIQUE INDEX "ix_inbox_message_id_tenant_consumer" ON "inbox" ("message_id", "tenant", "consumer")',
    ),
    "mysql": (
        "SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES')",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `orders_markers` TO `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'event_id'), 'DO 0', 'ALTER TABLE `inbox` RENAME COLUMN `event_id` TO `message_id`, RENAME COLUMN `handler` TO `consumer`, RENAME COLUMN `done_at` TO `processed_at`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_tenant_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,tenant,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `ix_orders_markers_event_id_tenant_handler` TO `ix_inbox_message_id_tenant_consumer`')",
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
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `orders_markers` TO `inbox`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'event_id'), 'DO 0', 'ALTER TABLE `inbox` RENAME COLUMN `event_id` TO `message_id`, RENAME COLUMN `handler` TO `consumer`, RENAME COLUMN `done_at` TO `processed_at`')",
        "PREPARE inbox_step FROM @inbox_step",
        "EXECUTE inbox_step",
        "DEALLOCATE PREPARE inbox_step",
        "SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_tenant_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,tenant,consumer'), 'DO 0', 'ALTER TABLE `inbox` RENAME INDEX `ix_orders_markers_event_id_tenant_handler` TO `ix_inbox_message_id_tenant_consumer`')",
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
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_message_id_tenant_consumer')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('inbox') WHERE name NOT IN ('id', 'message_id', 'tenant', 'consumer', 'received_at', 'processed_at')
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
WHERE tbl_name = 'orders_markers' COLLATE NOCASE AND sql IS NOT NULL
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_orders_markers_event_id_tenant_handler')))
UNION ALL
SELECT 'column', name FROM pragma_table_info('orders_markers') WHERE name NOT IN ('id', 'event_id', 'tenant', 'handler', 'received_at', 'done_at')
UNION ALL
SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
WHERE child.type = 'table' AND parent."table" = 'orders_markers' COLLATE NOCASE
    AND (SELECT foreign_keys FROM pragma_foreign_keys)""",
            "orders_markers is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is",
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
