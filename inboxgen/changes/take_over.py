"""A table that was there before inboxgen: it keeps its rows and gets the dedup key, if its rows allow that."""

from __future__ import annotations

from inboxgen.changes import catalogue, on_mssql, on_mysql, on_postgresql, on_sqlite, order
from inboxgen.changes.keys import twice
from inboxgen.changes.rooms import ROOMS
from inboxgen.changes.steps import Migration, Steps
from inboxgen.model import FAMILY, Dialect, Inbox
from inboxgen.schema import build_table, index_statements


def take_over(inbox: Inbox) -> Migration:
    """The revision; its downgrade leaves the table alone, for the key may have been there before."""
    up = {dialect: _steps(inbox, dialect) for dialect in inbox.dialects}
    return Migration("take_over_inbox", order.TAKE_OVER, up, dict.fromkeys(inbox.dialects, Steps()))


def _steps(inbox: Inbox, dialect: Dialect) -> Steps:
    checks = (*catalogue.unlike(inbox, dialect), twice(inbox, inbox.dedup, dialect))
    if room := ROOMS.get(dialect):
        return Steps(room.limited(_ensure_key(inbox, dialect)), checks, room.brief)
    made = index_statements(build_table(inbox, dialect), dialect)
    once = tuple(ddl.replace("CREATE UNIQUE INDEX ", "CREATE UNIQUE INDEX IF NOT EXISTS ", 1) for ddl in made)
    return Steps(once, checks, on_sqlite.LOCKS)


def _ensure_key(inbox: Inbox, dialect: Dialect) -> list[str]:
    if dialect in FAMILY:
        return on_mysql.add_key(dialect, inbox, inbox.dedup)
    if dialect is Dialect.MSSQL:
        return on_mssql.ensure_key(inbox, inbox.dedup)
    return on_postgresql.ensure_key(inbox, inbox.dedup)
