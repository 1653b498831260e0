"""MySQL's and MariaDB's errors, by number.

https://dev.mysql.com/doc/mysql-errors/en/ and https://mariadb.com/docs/server/reference/error-codes
"""

from . import Fault

# MariaDB tells the key alone, MySQL since 8.0.19 also the table.
_OURS = (
    "'ix_inbox_event_id_consumer'",
    "'inbox_next.ix_inbox_event_id_consumer'",
    "'ix_inbox_message_id_consumer'",
    "'inbox_next.ix_inbox_message_id_consumer'",
)
_UNIQUE = (1062, 1586)
_FAULTS = {
    # deadlock, Galera's too; MariaDB: changed since the snapshot was taken
    **dict.fromkeys((1213, 1020), Fault.RETRY),
    # innodb_lock_wait_timeout; NOWAIT
    **dict.fromkeys((1205, 3572), Fault.LOCK_WAIT),
    # no such column or table, no right to them
    **dict.fromkeys((1044, 1054, 1142, 1143, 1146), Fault.UNDEPLOYED),
    # no space, no memory, no connection left
    **dict.fromkeys((1021, 1037, 1038, 1041, 1114), Fault.UNAVAILABLE),
    **dict.fromkeys((1040, 1203, 1226), Fault.UNAVAILABLE),
    # no login, no such database, host blocked after too many errors
    **dict.fromkeys((1045, 1049, 1129), Fault.UNAVAILABLE),
    # read-only: the old primary after a fail-over
    **dict.fromkeys((1290, 1792, 1836), Fault.UNAVAILABLE),
    # the cluster's node is not ready; group replication took the transaction back
    **dict.fromkeys((1047, 3101), Fault.UNAVAILABLE),
    # shut down, killed, cancelled, timed out
    **dict.fromkeys((1053, 1317, 1927, 1969, 3024, 4031), Fault.UNAVAILABLE),
    # a prepared statement is gone, outdated or one too many: a proxy changed servers
    **dict.fromkeys((1243, 1461, 1615), Fault.UNAVAILABLE),
    # connection refused or lost, as the server says it
    **dict.fromkeys((1158, 1159, 1160, 1161), Fault.UNAVAILABLE),
    # … and as the client does
    **dict.fromkeys((2002, 2003, 2005, 2006, 2012, 2013, 2055), Fault.UNAVAILABLE),
    -1: Fault.UNAVAILABLE,  # mysql-connector, on a connection lost while idle
}


def read(error: BaseException) -> Fault | None:
    """Read an exception of a driver of MySQL or MariaDB; None if it is another's."""
    root = type(error).__module__.split(".")[0]
    if root not in ("pymysql", "MySQLdb", "mysql", "mariadb"):
        return None
    number: int = next((part for part in error.args if isinstance(part, int)), 0)
    number = getattr(error, "errno", number)
    if number in _UNIQUE:
        return Fault.UNIQUE_OURS if _names_our_key(error) else Fault.UNIQUE_OTHER
    return _FAULTS.get(number, Fault.OTHER)


def _names_our_key(error: BaseException) -> bool:
    """Whether the last quoted name is ours; the value, from anyone, stands before it."""
    text = next((part for part in error.args if isinstance(part, str)), "")
    return text[: text.rfind("'") + 1].endswith(_OURS)
