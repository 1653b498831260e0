"""The statements of the runtime, built once; golden/ef_core_alternate_key/ shows them as text."""

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

from .models import Base, Marker

inbox = Base.metadata.tables["Inbox"]
# How a session finds the marker's database: as for a write, wherever it sends its reads.
BIND: dict[str, Any] = {"mapper": inspect(Marker), "clause": insert(inbox)}


def _claim(statement: Insert, clock: str) -> Insert:
    """Write the database's time, and count the row: a RETURNING would hide the count."""
    now = literal_column(clock, DateTime())
    values = {"ReceivedUtc": now, "ProcessedUtc": now}
    statement = statement.values(values).inline()
    return statement.execution_options(preserve_rowcount=True)


CLAIM = {
    "mssql": _claim(insert(inbox), "SYSUTCDATETIME()"),
}
_find = select(inbox.c["Id"]).where(
    inbox.c["MessageId"] == bindparam("MessageId"),
    inbox.c["Consumer"] == bindparam("Consumer"),
)
# Below READ COMMITTED, a read would believe a marker that is rolled back later.
FIND = {
    "mssql": _find.with_hint(inbox, "WITH (READCOMMITTEDLOCK)", "mssql"),
}
