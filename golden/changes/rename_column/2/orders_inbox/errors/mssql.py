"""SQL Server's errors, by number.

https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors
https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues
"""

import re
from typing import cast

from . import Fault

_KEY = (
    "(?:"
    + "|".join(
        map(re.escape, ("ix_inbox_event_id_consumer", "ix_inbox_message_id_consumer"))
    )
    + ")"
)
_TABLE = r"(?:[^\s.'\"]+\.)?" + re.escape("inbox_next")
# How 2601 and 2627 begin, up to the value, which anyone can send: English, German (of
# new and old servers), Spanish, French, Japanese. In others our key is not recognised.
_OURS = re.compile(
    r"(?:\[[^\]]*\]\s?)*(?:"  # [23000] [Microsoft][…][SQL Server]
    rf"Cannot insert duplicate key row in object '{_TABLE}' with unique index '{_KEY}'\."
    rf"|Violation of UNIQUE KEY constraint '{_KEY}'\."
    rf" Cannot insert duplicate key in object '{_TABLE}'\."
    rf"|Eine Zeile mit doppeltem Schlüssel kann in das {_TABLE}-Objekt"
    rf" mit dem eindeutigen {_KEY}-Index nicht eingefügt werden\."
    rf'|Eine Zeile mit doppeltem Schlüssel kann in das Objekt "{_TABLE}"'
    rf' mit dem eindeutigen Index "{_KEY}" nicht eingefügt werden\.'
    rf'|Verletzung der UNIQUE KEY-Einschränkung "{_KEY}"\.'
    rf" Ein doppelter Schlüssel kann in das {_TABLE}-Objekt nicht eingefügt werden\."
    rf"|No se puede insertar una fila de clave duplicada en el objeto '{_TABLE}'"
    rf" con índice único '{_KEY}'\."
    rf"|Infracción de la restricción UNIQUE KEY '{_KEY}'\."
    rf" No se puede insertar una clave duplicada en el objeto '{_TABLE}'\."
    rf"|Impossible d'insérer une ligne de clé en double dans l'objet «\s{_TABLE}\s»"
    rf" avec un index unique «\s{_KEY}\s»\."
    rf"|Violation de la contrainte UNIQUE KEY «\s{_KEY}\s»\."
    rf"[^«(]* dans l'objet «\s{_TABLE}\s»\."
    rf"|一意インデックス '{_KEY}' を含むオブジェクト '{_TABLE}'"
    r" には重複するキー行を挿入できません。"
    rf"|制約 '{_KEY}' の UNIQUE KEY 違反。オブジェクト '{_TABLE}'"
    r" には重複するキーを挿入できません。"
    r")"
)
_UNIQUE = (2601, 2627)
_FAULTS = {
    # deadlock; changed since the snapshot, and the same of memory-optimized tables
    **dict.fromkeys((1205, 3960, 41301, 41302, 41305, 41325), Fault.RETRY),
    # SET LOCK_TIMEOUT
    1222: Fault.LOCK_WAIT,
    # no such column, table or schema, no right to them
    **dict.fromkeys((207, 208, 229, 230, 2760), Fault.UNDEPLOYED),
    # no lock, memory, disk space, log space or connection left
    **dict.fromkeys((701, 802, 1101, 1105, 1204, 8645), Fault.UNAVAILABLE),
    **dict.fromkeys((8651, 9002, 17809), Fault.UNAVAILABLE),
    # read-only, not recovered yet, a secondary, restarting: a fail-over
    **dict.fromkeys((615, 921, 922, 926, 976, 978, 979), Fault.UNAVAILABLE),
    **dict.fromkeys((981, 982, 983), Fault.UNAVAILABLE),
    **dict.fromkeys((3906, 3908, 4221, 6005, 17142, 18401), Fault.UNAVAILABLE),
    # no login, no such database
    **dict.fromkeys((4060, 18456), Fault.UNAVAILABLE),
    # connection refused or lost
    **dict.fromkeys((20, 53, 64, 121, 233, 596, 997), Fault.UNAVAILABLE),
    **dict.fromkeys((10053, 10054, 10060, 10061), Fault.UNAVAILABLE),
    # … as DB-Library says it
    **dict.fromkeys((20002, 20003, 20004, 20006, 20009, 20047), Fault.UNAVAILABLE),
    # a prepared statement is gone
    8179: Fault.UNAVAILABLE,
    # Azure SQL: throttled, being moved, resuming
    **dict.fromkeys((10928, 10929, 10936, 41839, 42108, 42109), Fault.UNAVAILABLE),
    **dict.fromkeys((40143, 40197, 40501, 40540, 40544, 40613), Fault.UNAVAILABLE),
    **dict.fromkeys((40549, 40550, 40551, 40552, 40553), Fault.UNAVAILABLE),
    **dict.fromkeys((49918, 49919, 49920, 49977, 49983), Fault.UNAVAILABLE),
}
_LOST = 10054  # for what the client alone reports, without a server's number
# mssql-python gives no number: its own word for the class, then the server's English.
_DRIVER_ERRORS = {
    "Integrity constraint violation": 2627,
    "Serialization failure": 1205,
    "Base table or view not found": 208,
    "Column not found": 207,
    "Client unable to establish connection": 53,
    "Connection not open": 10054,
    "Server rejected the connection": 10054,
    "Connection failure during transaction": 10054,
    "Communication link failure": 10054,
    "Disconnect error": 10054,
    "Timeout expired": 10060,
    "Connection timeout expired": 10060,
}
_SERVER_ERRORS = {
    "Lock request time out period exceeded.": 1222,
    "Snapshot isolation transaction aborted due to update conflict.": 3960,
    "Failed to update database ": 3906,
    "Could not allocate space for object ": 1105,
    "The transaction log for database ": 9002,
    "The INSERT permission was denied on the object ": 229,
    "The SELECT permission was denied on the object ": 229,
}
_ORIGIN = re.compile(r"^(?:\[[^\]]*\])*")
# What no language translates: NOT NULL, FOREIGN KEY, CHECK, CREATE UNIQUE INDEX.
_NOT_UNIQUE = re.compile(
    r"\b(?:NULL|FOREIGN KEY|CHECK|REFERENCE|CREATE UNIQUE INDEX)\b"
)


def read(error: BaseException) -> Fault | None:
    """Read an exception of a driver of SQL Server; None if it is another's."""
    root = type(error).__module__.split(".")[0]
    if root not in ("pyodbc", "pymssql", "mssql_python"):
        return None
    number, text = _READERS[root](error)
    if number in _UNIQUE:
        return Fault.UNIQUE_OURS if _OURS.match(text) else Fault.UNIQUE_OTHER
    return _FAULTS.get(number, Fault.OTHER)


def _odbc(error: BaseException) -> tuple[int, str]:
    """Number and text by pyodbc: the number is the last in the text with a function.

    The value, which anyone can send, may hold another number, but stands before it.
    """
    state, text = (str(part) for part in (*error.args, "", "")[:2])
    numbers: list[str] = re.findall(r"\((-?\d+)\) \(SQL\w+\)", text)
    if state.startswith(("08", "HYT")):  # connection, time-out
        return _LOST, text
    return int(numbers[-1]) if numbers else 0, text


def _tds(error: BaseException) -> tuple[int, str]:
    """Number and text by pymssql, whose arguments may be nested."""
    parts: tuple[object, ...] = error.args
    if parts and isinstance(parts[0], tuple):
        parts = cast("tuple[object, ...]", parts[0])
    number = next(
        (part for part in parts if isinstance(part, int)), getattr(error, "number", 0)
    )
    text = next((part for part in parts if isinstance(part, str | bytes)), "")
    return number, text.decode(errors="replace") if isinstance(text, bytes) else text


def _mssql_python(error: BaseException) -> tuple[int, str]:
    """Text by mssql-python, and the number behind it; 2627 if it may be a duplicate."""
    text: str = getattr(error, "ddbc_error", "")
    number = _DRIVER_ERRORS.get(getattr(error, "driver_error", ""), 0)
    if number == 2627 and _NOT_UNIQUE.search(text.partition("(")[0]):
        return 0, text
    message = _ORIGIN.sub("", text)
    known = (
        code for start, code in _SERVER_ERRORS.items() if message.startswith(start)
    )
    return number or next(known, 0), text


_READERS = {
    "pyodbc": _odbc,
    "pymssql": _tds,
    "mssql_python": _mssql_python,
}
