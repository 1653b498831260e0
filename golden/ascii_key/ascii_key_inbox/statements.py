"""The statements of the runtime, built once; golden/ascii_key/ shows them as text."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DateTime,
    Insert,
    bindparam,
    insert,
    inspect,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from .models import Base, Marker

inbox = Base.metadata.tables["inbox"]
# How a session finds the marker's database: as for a write, wherever it sends its reads.
BIND: dict[str, Any] = {"mapper": inspect(Marker), "clause": insert(inbox)}


def _claim(statement: Insert, clock: str) -> Insert:
    """Write the database's time, and count the row: a RETURNING would hide the count."""
    now = literal_column(clock, DateTime())
    values = {"received_at": now, "processed_at": now}
    statement = statement.values(values).inline()
    return statement.execution_options(preserve_rowcount=True)


CLAIM = {
    "postgresql": _claim(
        postgresql.insert(inbox).on_conflict_do_nothing(), "clock_timestamp()"
    ),
    "sqlite": _claim(
        sqlite.insert(inbox).on_conflict_do_nothing(),
        "strftime('%Y-%m-%d %H:%M:%f', 'now') || '000'",
    ),
    "mssql": _claim(insert(inbox), "SYSUTCDATETIME()"),
    "mysql": _claim(insert(inbox), "UTC_TIMESTAMP(6)"),
    "mariadb": _claim(insert(inbox), "UTC_TIMESTAMP(6)"),
}
_find = select(inbox.c["id"]).where(
    inbox.c["message_id"] == bindparam("message_id"),
    inbox.c["consumer"] == bindparam("consumer"),
)
# Below READ COMMITTED, a read would believe a marker that is rolled back later.
FIND = {
    "postgresql": _find,
    "sqlite": _find,
    "mssql": _find.with_hint(inbox, "WITH (READCOMMITTEDLOCK)", "mssql"),
    "mysql": _find.with_for_update(read=True),
    "mariadb": _find.with_for_update(read=True),
}
