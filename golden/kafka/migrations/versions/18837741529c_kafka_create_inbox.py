"""kafka: create inbox

Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until
the table is there.

Its downgrade drops the inbox: stop the consumers first. It is refused while the
inbox holds a marker younger than 30 days, unless it is asked for by name: `alembic
-x drop_inbox=inbox downgrade ...`.

Revision ID: 18837741529c
Revises:
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import context, op
from alembic.util import CommandError

revision: str = "18837741529c"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        """CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "epoch" VARCHAR(40) COLLATE "C" NOT NULL,
    "topic" VARCHAR(249) COLLATE "C" NOT NULL,
    "partition" BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id")
)""",
        'CREATE UNIQUE INDEX "ix_inbox_epoch_topic_partition_offset_consumer" ON "inbox" ("epoch", "topic", "partition", "offset", "consumer")',
    ),
    "mssql": (
        """CREATE TABLE [inbox] (
    [id] BIGINT NOT NULL IDENTITY,
    [epoch] VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [topic] VARCHAR(249) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [partition] BIGINT NOT NULL,
    [offset] BIGINT NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id])
)""",
        "CREATE UNIQUE INDEX [ix_inbox_epoch_topic_partition_offset_consumer] ON [inbox] ([epoch], [topic], [partition], [offset], [consumer])",
    ),
    "sqlite": (
        """CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "epoch" VARCHAR(40) COLLATE "BINARY" NOT NULL,
    "topic" VARCHAR(249) COLLATE "BINARY" NOT NULL,
    "partition" BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'CREATE UNIQUE INDEX "ix_inbox_epoch_topic_partition_offset_consumer" ON "inbox" ("epoch", "topic", "partition", "offset", "consumer")',
    ),
    "mysql": (
        """CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `epoch` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition` BIGINT NOT NULL,
    `offset` BIGINT NOT NULL,
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_epoch_topic_partition_offset_consumer` UNIQUE (`epoch`, `topic`, `partition`, `offset`, `consumer`)
)ENGINE=InnoDB""",
    ),
    "mariadb": (
        """CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `epoch` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    `topic` VARCHAR(249) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL,
    `partition` BIGINT NOT NULL,
    `offset` BIGINT NOT NULL,
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_epoch_topic_partition_offset_consumer` UNIQUE (`epoch`, `topic`, `partition`, `offset`, `consumer`)
)ENGINE=InnoDB""",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": ('DROP TABLE "inbox"',),
    "mssql": ("DROP TABLE [inbox]",),
    "sqlite": ('DROP TABLE "inbox"',),
    "mysql": ("DROP TABLE `inbox`",),
    "mariadb": ("DROP TABLE `inbox`",),
}

# 1 while inbox holds a marker younger than 30 days, else 0.
MARKERS: dict[str, str] = {
    "postgresql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "inbox"
    WHERE "received_at" > clock_timestamp() - INTERVAL '2592000 seconds'
       OR "processed_at" > clock_timestamp() - INTERVAL '2592000 seconds'
) THEN 1 ELSE 0 END""",
    "mssql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM [inbox] WITH (TABLOCKX, HOLDLOCK)
    WHERE [received_at] > DATEADD(second, -2592000, SYSUTCDATETIME())
       OR [processed_at] > DATEADD(second, -2592000, SYSUTCDATETIME())
) THEN 1 ELSE 0 END""",
    "sqlite": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "inbox"
    WHERE "received_at" > strftime('%Y-%m-%d %H:%M:%f', 'now', '-2592000 seconds') || '000'
       OR "processed_at" > strftime('%Y-%m-%d %H:%M:%f', 'now', '-2592000 seconds') || '000'
) THEN 1 ELSE 0 END""",
    "mysql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM `inbox`
    WHERE `received_at` > UTC_TIMESTAMP(6) - INTERVAL 2592000 SECOND
       OR `processed_at` > UTC_TIMESTAMP(6) - INTERVAL 2592000 SECOND
) THEN 1 ELSE 0 END""",
    "mariadb": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM `inbox`
    WHERE `received_at` > UTC_TIMESTAMP(6) - INTERVAL 2592000 SECOND
       OR `processed_at` > UTC_TIMESTAMP(6) - INTERVAL 2592000 SECOND
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
        migration.impl.static_output(
            "-- Not while inbox holds a marker younger than 30 days."
        )
        return
    if context.get_x_argument(as_dictionary=True).get("drop_inbox") == "inbox":
        return
    if server == "sqlite":
        _begin_immediate()
    if server == "postgresql":  # a marker that is not committed yet counts too
        op.execute(_text('LOCK TABLE "inbox" IN ACCESS EXCLUSIVE MODE'))
    if op.get_bind().scalar(_text(MARKERS[server])):
        raise CommandError(
            "inbox holds a marker younger than 30 days: "
            "without it, a message that is delivered again is handled again. "
            "To drop it all the same: alembic -x drop_inbox=inbox downgrade ..."
        )
