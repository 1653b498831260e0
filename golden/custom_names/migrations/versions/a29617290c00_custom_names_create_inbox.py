"""custom_names: create inbox

Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until
the table is there.

Its downgrade drops the inbox: stop the consumers first. It is refused while the
inbox holds a marker, unless it is asked for by name: `alembic -x drop_inbox=group
downgrade ...`.

Revision ID: a29617290c00
Revises:
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import context, op
from alembic.util import CommandError

revision: str = "a29617290c00"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        """CREATE TABLE "group" (
    "order" BIGSERIAL NOT NULL,
    "from" VARCHAR(100) COLLATE "C" NOT NULL,
    "Event ""Id\"\"\" UUID NOT NULL,
    "user" VARCHAR(200) COLLATE "C" NOT NULL,
    "received at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "o'clock" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "the group's key" PRIMARY KEY ("order")
)""",
        'CREATE UNIQUE INDEX "once only" ON "group" ("from", "Event ""Id""", "user")',
    ),
    "mssql": (
        """CREATE TABLE [group] (
    [order] BIGINT NOT NULL IDENTITY,
    [from] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [Event "Id"] UNIQUEIDENTIFIER NOT NULL,
    [user] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received at] DATETIME2 NOT NULL,
    [o'clock] DATETIME2 NULL,
    CONSTRAINT [the group's key] PRIMARY KEY ([order])
)""",
        'CREATE UNIQUE INDEX [once only] ON [group] ([from], [Event "Id"], [user])',
    ),
    "sqlite": (
        """CREATE TABLE "group" (
    "order" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "from" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "Event ""Id\"\"\" CHAR(32) NOT NULL,
    "user" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received at" DATETIME NOT NULL,
    "o'clock" DATETIME
)""",
        'CREATE UNIQUE INDEX "once only" ON "group" ("from", "Event ""Id""", "user")',
    ),
    "mysql": (
        """CREATE TABLE `group` (
    `order` BIGINT NOT NULL AUTO_INCREMENT,
    `from` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `Event "Id"` BINARY(16) NOT NULL,
    `user` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received at` DATETIME(6) NOT NULL,
    `o'clock` DATETIME(6),
    CONSTRAINT `the group's key` PRIMARY KEY (`order`),
    CONSTRAINT `once only` UNIQUE (`from`, `Event "Id"`, `user`)
)ENGINE=InnoDB""",
    ),
    "mariadb": (
        """CREATE TABLE `group` (
    `order` BIGINT NOT NULL AUTO_INCREMENT,
    `from` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `Event "Id"` BINARY(16) NOT NULL,
    `user` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `received at` DATETIME(6) NOT NULL,
    `o'clock` DATETIME(6),
    CONSTRAINT `the group's key` PRIMARY KEY (`order`),
    CONSTRAINT `once only` UNIQUE (`from`, `Event "Id"`, `user`)
)ENGINE=InnoDB""",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": ('DROP TABLE "group"',),
    "mssql": ("DROP TABLE [group]",),
    "sqlite": ('DROP TABLE "group"',),
    "mysql": ("DROP TABLE `group`",),
    "mariadb": ("DROP TABLE `group`",),
}

# 1 while group holds a marker, else 0.
MARKERS: dict[str, str] = {
    "postgresql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "group"
) THEN 1 ELSE 0 END""",
    "mssql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM [group] WITH (TABLOCKX, HOLDLOCK)
) THEN 1 ELSE 0 END""",
    "sqlite": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "group"
) THEN 1 ELSE 0 END""",
    "mysql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM `group`
) THEN 1 ELSE 0 END""",
    "mariadb": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM `group`
) THEN 1 ELSE 0 END""",
}


def upgrade() -> None:
    """Send this server's UPGRADE."""
    _run(UPGRADE)


def downgrade() -> None:
    """Send this server's DOWNGRADE, unless the inbox is still needed."""
    _refuse_while_needed()
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


def _refuse_while_needed() -> None:
    server, migration = _server(), op.get_context()
    if server not in MARKERS:
        return
    if migration.as_sql:
        migration.impl.static_output("-- Not while group holds a marker.")
        return
    if context.get_x_argument(as_dictionary=True).get("drop_inbox") == "group":
        return
    if server == "sqlite":
        _begin_immediate()
    if server == "postgresql":  # a marker that is not committed yet counts too
        op.execute(_text('LOCK TABLE "group" IN ACCESS EXCLUSIVE MODE'))
    if op.get_bind().scalar(_text(MARKERS[server])):
        raise CommandError(
            "group holds a marker: "
            "without it, a message that is delivered again is handled again. "
            "To drop it all the same: alembic -x drop_inbox=group downgrade ..."
        )
