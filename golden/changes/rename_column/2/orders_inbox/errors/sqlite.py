"""SQLite's errors, by extended result code (https://sqlite.org/rescode.html)."""

from . import Fault

# SQLite names no key, only its columns in index order.
_OURS = frozenset(
    {"UNIQUE constraint failed: inbox_next.event_id, inbox_next.consumer"}
)
_UNIQUE = (2067, 1555, 2579)  # UNIQUE, PRIMARYKEY, ROWID
_FAULTS = {
    1: Fault.UNDEPLOYED,  # ERROR: of a sound statement, no such table or column
    **dict.fromkeys((5, 6), Fault.LOCK_WAIT),  # BUSY, LOCKED
    # IOERR, FULL, CANTOPEN, PROTOCOL
    **dict.fromkeys((10, 13, 14, 15), Fault.UNAVAILABLE),
    517: Fault.RETRY,  # BUSY_SNAPSHOT: what was read has been changed by another
}


def read(error: BaseException) -> Fault | None:
    """Read an exception of sqlite3; None if it is another driver's."""
    if type(error).__module__.split(".")[0] != "sqlite3":
        return None
    code: int = getattr(error, "sqlite_errorcode", 0)
    if code in _UNIQUE:
        return Fault.UNIQUE_OURS if str(error) in _OURS else Fault.UNIQUE_OTHER
    return _FAULTS.get(code) or _FAULTS.get(code & 0xFF, Fault.OTHER)
