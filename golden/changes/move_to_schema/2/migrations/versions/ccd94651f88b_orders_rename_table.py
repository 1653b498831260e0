"""orders: rename table

Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name
once no old replica is left.

Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a
synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename
and view, and redelivery brings those messages back. On SQLite stop old replicas
first: they find no table, and acknowledge nothing.

The schema has to be there, and `alembic check` looks into it only with
`include_schemas=True` in env.py.

Locks on PostgreSQL: Each statement that needs the table for itself waits at most 2
seconds for it, and then fails; run the revision again.

PostgreSQL: Before it, give the account of the code the schema: GRANT USAGE ON
SCHEMA "messaging" TO ...

Locks on SQL Server: One transaction, which keeps the table to itself until its end;
each statement waits at most 5 seconds for its lock, and then everything is taken
back; run the revision again.

SQL Server: Before the code, give its account the rights on the new name: GRANT
SELECT, INSERT ON [messaging].[inbox] TO ...

Revision ID: ccd94651f88b
Revises: 29dfa7674eeb
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision: str = "ccd94651f88b"
down_revision: str | Sequence[str] | None = "29dfa7674eeb"
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'ALTER TABLE "inbox" SET SCHEMA "messaging"',
        'CREATE VIEW "inbox" AS SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "messaging"."inbox"',
        """DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"messaging"."inbox"')
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
        "ALTER SCHEMA [messaging] TRANSFER [inbox]",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[messaging].[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[messaging].[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX'""",
        "CREATE SYNONYM [inbox] FOR [messaging].[inbox]",
        """DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[messaging].[inbox]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants)""",
        "SET LOCK_TIMEOUT -1",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        "SET LOCAL lock_timeout = '2s'",
        'DROP VIEW IF EXISTS "inbox"',
        """DO $inbox$
BEGIN
    EXECUTE 'ALTER TABLE "messaging"."inbox" SET SCHEMA ' || quote_ident(current_schema());
END
$inbox$""",
    ),
    "mssql": (
        """SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000""",
        "DROP SYNONYM [inbox]",
        """DECLARE @move nvarchar(max) = N'ALTER SCHEMA ' + QUOTENAME(SCHEMA_NAME()) + N' TRANSFER [messaging].[inbox]';
EXEC (@move)""",
        """DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX'""",
        "SET LOCK_TIMEOUT -1",
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
        for statement in statements[server]:
            migration.impl.static_output(f"{statement};")
            if separator := getattr(migration.impl, "batch_separator", ""):
                migration.impl.static_output(separator)
    else:
        for statement in statements[server]:
            op.execute(_text(statement))


def _text(statement: str) -> sa.TextClause:
    # A colon would begin a parameter.
    return sa.text(statement.replace(":", r"\:"))
