"""The statements of the runtime, built once; golden/ef_core/ shows them as text."""

from typing import Any

import sqlalchemy as sa

from .models import Base, Marker

inbox = Base.metadata.tables["Inbox"]
# How a session finds the marker's database: as for a write, wherever it sends its reads.
BIND: dict[str, Any] = {"mapper": sa.inspect(Marker), "clause": sa.update(inbox)}


def _claim(statement: sa.Insert, clock: str) -> sa.Insert:
    """Write the database's time, and count the row: a RETURNING would hide the count."""
    now = sa.literal_column(clock, sa.DateTime())
    statement = statement.values({"ReceivedUtc": now, "ProcessedUtc": now}).inline()
    return statement.execution_options(preserve_rowcount=True)


CLAIM = {
    "mssql": _claim(sa.insert(inbox), "SYSUTCDATETIME()"),
}
_find = sa.select(inbox.c["Id"]).where(
    inbox.c["MessageId"] == sa.bindparam("MessageId"),
    inbox.c["Consumer"] == sa.bindparam("Consumer"),
)
# Below READ COMMITTED, a read would believe a marker that is rolled back later.
FIND = {
    "mssql": _find.with_hint(inbox, "WITH (READCOMMITTEDLOCK)", "mssql"),
}
