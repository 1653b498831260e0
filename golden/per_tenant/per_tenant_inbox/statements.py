"""The statements of the runtime, built once; golden/per_tenant/ shows them as text."""

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
from sqlalchemy.dialects import postgresql

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
    "mssql": _claim(insert(inbox), "SYSUTCDATETIME()"),
}
_find = select(inbox.c["id"]).where(
    inbox.c["message_id"] == bindparam("message_id"),
    inbox.c["consumer"] == bindparam("consumer"),
)
# Below READ COMMITTED, a read would believe a marker that is rolled back later.
FIND = {
    "postgresql": _find,
    "mssql": _find.with_hint(inbox, "WITH (READCOMMITTEDLOCK)", "mssql"),
}
