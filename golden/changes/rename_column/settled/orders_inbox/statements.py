"""The statements of the runtime, built once; golden/orders/ shows them as text."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from .models import Base, Marker

inbox = Base.metadata.tables["inbox"]
# How a session finds the marker's database: as for a write, wherever it sends its reads.
BIND: dict[str, Any] = {"mapper": sa.inspect(Marker), "clause": sa.update(inbox)}


def _claim(statement: sa.Insert, clock: str) -> sa.Insert:
    """Write the database's time, and count the row: a RETURNING would hide the count."""
    now = sa.literal_column(clock, sa.DateTime())
    statement = statement.values({"received_at": now, "processed_at": now}).inline()
    return statement.execution_options(preserve_rowcount=True)


CLAIM = {
    "postgresql": _claim(
        postgresql.insert(inbox).on_conflict_do_nothing(), "clock_timestamp()"
    ),
    "sqlite": _claim(
        sqlite.insert(inbox).on_conflict_do_nothing(),
        "strftime('%Y-%m-%d %H:%M:%f', 'now') || '000'",
    ),
    "mssql": _claim(sa.insert(inbox), "SYSUTCDATETIME()"),
    "mysql": _claim(sa.insert(inbox), "UTC_TIMESTAMP(6)"),
    "mariadb": _claim(sa.insert(inbox), "UTC_TIMESTAMP(6)"),
}
_find = sa.select(inbox.c["id"]).where(
    inbox.c["event_id"] == sa.bindparam("event_id"),
    inbox.c["consumer"] == sa.bindparam("consumer"),
)
# Below READ COMMITTED, a read would believe a marker that is rolled back later.
FIND = {
    "postgresql": _find,
    "sqlite": _find,
    "mssql": _find.with_hint(inbox, "WITH (READCOMMITTEDLOCK)", "mssql"),
    "mysql": _find.with_for_update(read=True),
    "mariadb": _find.with_for_update(read=True),
}
