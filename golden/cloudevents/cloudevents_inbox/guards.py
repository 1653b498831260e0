"""Keeps marker and effect in one transaction: refuses what would part them."""

from __future__ import annotations

import re
import sys
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.event import listen
from sqlalchemy.orm import Session, SessionTransaction

# Literals, quoted names and comments: a word in them is no statement.
_NOISE = re.compile(
    r"""(?s)\b[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^'\\]|''|\\.)*'|"(?:[^"]|"")*"|--[^\n]*|`[^`]*`|#[^\n]*|/\*(?!M?!).*?\*/|\$(\w*)\$.*?\$\1\$|\[[^\]]*\]"""
)
# Statements that end the transaction.
_STANDARD = re.compile(
    r"(?i)(?:^|;)\s*(COMMIT|END|ABORT|PREPARE\s+TRANSACTION"
    r"|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b))\b"
)
# Statements that end the transaction of SQL Server.
_MSSQL = re.compile(r"(?i)(?<![\w@#$])(COMMIT|ROLLBACK(?!\s+TRAN(?:SACTION)?\s+\w))\b")
# Statements that end the transaction of MySQL and MariaDB, which DDL commits too.
_MYSQL = re.compile(
    r"(?i)(?:^|;|/\*M?!\d*)\s*(?:SET\s+STATEMENT\s[^;]*?\sFOR\s+)?"
    r"(COMMIT|ALTER|ANALYZE|BEGIN|CACHE\s+INDEX|CHECK\s+TABLE"
    r"|(?:CREATE|DROP)\b(?!\s+(?:OR\s+REPLACE\s+)?TEMPORARY)"
    r"|BACKUP|FLUSH|GRANT|INSTALL|LOAD\s+INDEX"
    r"|LOCK\s+TABLES?|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE|SET\s+PASSWORD"
    r"|SET\b[^;]*?(?<![\w@.])(?:@@(?:\w+\.)?)?AUTOCOMMIT(?=\s*:?=)|START\s+TRANSACTION"
    r"|TRUNCATE|UNINSTALL|UNLOCK\s+TABLES?|XA"
    r"|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b))\b"
)
_ENDING = {
    "postgresql": _STANDARD,
    "sqlite": _STANDARD,
    "mssql": _MSSQL,
    "mysql": _MYSQL,
    "mariadb": _MYSQL,
}
_SAVEPOINT = re.compile(
    r"(?i)\s*(SAVEPOINT|ROLLBACK\s+(?:\w+\s+)?TO|(?:SAVE|ROLLBACK)\s+TRAN\w*)\s+(?:SAVEPOINT\s+)?([^\s;]+)"
)
_AUTOCOMMIT = "its engine is in AUTOCOMMIT: use one with transactions"


class AtomicityError(Exception):
    """Marker and effect cannot be committed as one: do not acknowledge."""


class Guard:
    """Watches a delivery's session and connection, and no others, until the commit."""

    def __init__(self, session: Session, connection: Connection) -> None:
        if misfit := _misfit(connection):
            raise AtomicityError(misfit)
        self.session = session
        self.connection = connection
        self.at_start = session.get_transaction(), connection.get_transaction()
        self._active = True
        self._refusal: AtomicityError | None = None
        self.failed = False
        # Rolling back to a savepoint heals a failure, unless it was set after that.
        self.too_late: set[str] = set()

    def __enter__(self) -> None:
        _GUARDS[id(self.session)] = _GUARDS[id(self.connection)] = self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._active = False
        if error is None:
            if self._refusal:
                raise self._refusal
            self.check()

    def check(self) -> None:
        """Raise AtomicityError unless the transaction is whole, and the one of the marker."""
        now = self.session.get_transaction(), self.connection.get_transaction()
        if now != self.at_start:
            raise AtomicityError("the handler ended the transaction: it must not")
        if self.failed:
            hint = "what may fail belongs in session.begin_nested()"
            raise AtomicityError(f"the handler went on after a database error: {hint}")
        if _is_lost(self.connection):
            raise AtomicityError("the transaction failed or ended in the driver")

    def refuse(self, why: str) -> None:
        """Raise AtomicityError while the handler runs, and after it if it swallowed that."""
        if self._active:
            self._refusal = AtomicityError(f"the handler {why}")
            raise self._refusal


# The deliveries at work, by the ids of their sessions and of their connections. What
# follows hears of everything in the process, and leaves alone what is not among them.
_GUARDS: WeakValueDictionary[int, Guard] = WeakValueDictionary()


def _before(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and (
        found := _ENDING[connection.dialect.name].search(_NOISE.sub(" ", sql))
    ):
        guard.refuse(f"sent {found[1]}: it must not end the transaction")


def _after(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and guard.failed and (found := _SAVEPOINT.match(sql)):
        if found[1][0] in "Ss":
            guard.too_late.add(found[2].lower())
        elif found[2].lower() not in guard.too_late:
            guard.failed = False
            guard.too_late.clear()


def _on_error(context: ExceptionContext) -> None:
    if guard := _GUARDS.get(id(context.connection)):
        guard.failed = True


def _on_commit(connection: Connection) -> None:
    if guard := _GUARDS.get(id(connection)):
        guard.refuse("committed: it must not; session.begin_nested() is a savepoint")
        guard.check()  # once more: listeners of the application ran since the handler


def _on_begin(session: Session, _: object, connection: Connection) -> None:
    guard = _GUARDS.get(id(session))
    if guard and connection is not guard.connection:
        guard.refuse("left the marker's transaction for another one or database")


def _on_rollback(session: Session, ended: SessionTransaction) -> None:
    guard = _GUARDS.get(id(session))
    # While an error is on its way, a failed flush say, this must not replace it.
    if guard and ended is guard.at_start[0] and sys.exc_info()[0] is None:
        guard.refuse("rolled back: it must raise, or use session.begin_nested()")


listen(Engine, "before_cursor_execute", _before)
listen(Engine, "after_cursor_execute", _after)
listen(Engine, "handle_error", _on_error)
listen(Engine, "commit", _on_commit)
listen(Session, "after_begin", _on_begin)
listen(Session, "after_soft_rollback", _on_rollback)


def _misfit(connection: Connection) -> str | None:
    """Why marker and effect cannot be one transaction on this connection, if so."""
    name = connection.dialect.driver
    if name not in (
        "mariadbconnector",
        "mssqlpython",
        "mysqlconnector",
        "mysqldb",
        "pg8000",
        "psycopg",
        "psycopg2",
        "pymssql",
        "pymysql",
        "pyodbc",
        "pysqlite",
    ):
        return f"the inbox was generated without the driver {name}"
    driver: Any = connection.connection.dbapi_connection
    if name == "pysqlite":
        begun = _driver(connection).in_transaction
        legacy = getattr(driver, "autocommit", -1) == -1  # else a mode of Python 3.12
        if legacy and driver.isolation_level is not None:
            foreign = begun and not connection.in_nested_transaction()
            return "its connection is in another transaction" if foreign else None
        # A begin event of the engine, or that mode, has begun by now.
        return None if begun else _AUTOCOMMIT
    if name in ("mysqldb", "pymysql"):
        return _AUTOCOMMIT if driver.get_autocommit() else None
    if name == "pymssql":
        return _AUTOCOMMIT if driver.autocommit_state else None
    return _AUTOCOMMIT if driver.autocommit else None


def _is_lost(connection: Connection) -> bool:
    """Whether the driver knows better than SQLAlchemy, after a raw cursor say."""
    name, driver = connection.dialect.driver, _driver(connection)
    if name == "pysqlite":
        return not driver.in_transaction
    if name in ("psycopg", "psycopg2"):
        return bool(driver.info.transaction_status != 2)  # PQTRANS_INTRANS
    if name == "pg8000":
        return bool(driver._transaction_status != b"T")
    return False


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection
