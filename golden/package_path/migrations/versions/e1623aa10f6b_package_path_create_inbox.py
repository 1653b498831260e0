"""package_path: create inbox

Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until
the table is there.

Its downgrade drops the inbox: stop the consumers first. It is refused while the
inbox holds a marker, unless it is asked for by name: `alembic -x drop_inbox=inbox
downgrade ...`.

Revision ID: e1623aa10f6b
Revises:
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import context, op
from alembic.util import CommandError

revision: str = "e1623aa10f6b"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": (
        """CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "message_id" UUID NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id")
)""",
        'CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer")',
    ),
    "sqlite": (
        """CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
)""",
        'CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer")',
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "postgresql": ('DROP TABLE "inbox"',),
    "sqlite": ('DROP TABLE "inbox"',),
}

# 1 while inbox holds a marker, else 0.
MARKERS: dict[str, str] = {
    "postgresql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "inbox"
) THEN 1 ELSE 0 END""",
    "sqlite": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM "inbox"
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
        migration.impl.static_output("-- Not while inbox holds a marker.")
        return
    if context.get_x_argument(as_dictionary=True).get("drop_inbox") == "inbox":
        return
    if server == "sqlite":
        _begin_immediate()
    if server == "postgresql":  # a marker that is not committed yet counts too
        op.execute(_text('LOCK TABLE "inbox" IN ACCESS EXCLUSIVE MODE'))
    if op.get_bind().scalar(_text(MARKERS[server])):
        raise CommandError(
            "inbox holds a marker: "
            "without it, a message that is delivered again is handled again. "
            "To drop it all the same: alembic -x drop_inbox=inbox downgrade ..."
        )
