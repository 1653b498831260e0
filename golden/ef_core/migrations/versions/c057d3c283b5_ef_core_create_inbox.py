"""ef_core: create inbox

Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until
the table is there.

Its downgrade drops the inbox: stop the consumers first. It is refused while the
inbox holds a marker, unless it is asked for by name: `alembic -x drop_inbox=Inbox
downgrade ...`.

Revision ID: c057d3c283b5
Revises:
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import sqlalchemy as sa
from alembic import context, op
from alembic.util import CommandError

revision: str = "c057d3c283b5"
down_revision: str | Sequence[str] | None = None
branch_labels: str | Sequence[str] | None = None
depends_on: str | Sequence[str] | None = None

# What each server is sent, word for word. No object of SQLAlchemy stands between, so
# that no naming convention renames a key that the runtime knows by its name.
UPGRADE: dict[str, tuple[str, ...]] = {
    "mssql": (
        """CREATE TABLE [Inbox] (
    [Id] BIGINT NOT NULL IDENTITY,
    [MessageId] UNIQUEIDENTIFIER NOT NULL,
    [Consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [ReceivedUtc] DATETIME2 NOT NULL,
    [ProcessedUtc] DATETIME2 NULL,
    CONSTRAINT [PK_Inbox] PRIMARY KEY ([Id])
)""",
        "CREATE UNIQUE INDEX [IX_Inbox_MessageId_Consumer] ON [Inbox] ([MessageId], [Consumer])",
    ),
}

DOWNGRADE: dict[str, tuple[str, ...]] = {
    "mssql": ("DROP TABLE [Inbox]",),
}

# 1 while Inbox holds a marker, else 0.
MARKERS: dict[str, str] = {
    "mssql": """SELECT CASE WHEN EXISTS (
    SELECT 1 FROM [Inbox] WITH (TABLOCKX, HOLDLOCK)
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
        for statement in statements[server]:
            op.execute(_text(statement))


def _text(statement: str) -> sa.TextClause:
    # A colon would begin a parameter.
    return sa.text(statement.replace(":", r"\:"))


def _refuse_while_needed() -> None:
    server, migration = _server(), op.get_context()
    if server not in MARKERS:
        return
    if migration.as_sql:
        migration.impl.static_output("-- Not while Inbox holds a marker.")
        return
    if context.get_x_argument(as_dictionary=True).get("drop_inbox") == "Inbox":
        return
    if op.get_bind().scalar(_text(MARKERS[server])):
        raise CommandError(
            "Inbox holds a marker: "
            "without it, a message that is delivered again is handled again. "
            "To drop it all the same: alembic -x drop_inbox=Inbox downgrade ..."
        )
