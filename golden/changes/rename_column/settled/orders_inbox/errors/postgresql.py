"""PostgreSQL: https://www.postgresql.org/docs/current/errcodes-appendix.html."""

from typing import cast

from . import Fault

_KEYS = frozenset({"ix_inbox_event_id_consumer"})
_FAULTS = {  # by SQLSTATE or its class
    "55P03": Fault.LOCK_WAIT,
    **dict.fromkeys(("40001", "40P01"), Fault.RETRY),  # serialization, deadlock
    # no such schema, table or column, no right to them
    **dict.fromkeys(("3F000", "42P01", "42703", "42501"), Fault.UNDEPLOYED),
    # no connection, login or database; prepared statement lost behind a pooler
    **dict.fromkeys(("08", "28", "3D000", "26000", "42P05"), Fault.UNAVAILABLE),
    # read-only after a fail-over; session timed out; no resources; cancelled, shut down
    **dict.fromkeys(("25006", "25P03", "25P04", "53", "57", "58"), Fault.UNAVAILABLE),
}
# The drivers' own words.
_LOST = ("connection is closed", "connection already closed", "network error")


def read(error: BaseException) -> Fault | None:
    """Read an exception of a driver of PostgreSQL; None if it is another's."""
    root = type(error).__module__.split(".")[0]
    if root not in ("psycopg", "psycopg2", "pg8000"):
        return None
    state, table, key, routine = _fields(root, error)
    if state is None:  # no connection, no server to give a code
        kinds = {base.__name__ for base in type(error).__mro__}
        lost = "OperationalError" in kinds or isinstance(error.__cause__, OSError)
        return Fault.UNAVAILABLE if lost or str(error).endswith(_LOST) else Fault.OTHER
    if state == "23505":
        ours = table == "inbox" and key in _KEYS
        return Fault.UNIQUE_OURS if ours else Fault.UNIQUE_OTHER
    # "cached plan must not change result type": a migration ran since it was prepared.
    if state == "0A000" and routine == "RevalidateCachedQuery":
        return Fault.UNAVAILABLE
    return _FAULTS.get(state) or _FAULTS.get(state[:2], Fault.OTHER)


def _fields(root: str, error: BaseException) -> tuple[str | None, ...]:
    """SQLSTATE, table, key and the server's routine; None where it told none."""
    if root == "pg8000":
        report = error.args[0] if error.args else None
        fields = cast("dict[str, str]", report) if isinstance(report, dict) else {}
        return tuple(fields.get(letter) for letter in ("C", "t", "n", "R"))
    diag: object = getattr(error, "diag", None)
    names = ("sqlstate", "table_name", "constraint_name", "source_function")
    return tuple(getattr(diag, name, None) for name in names)
