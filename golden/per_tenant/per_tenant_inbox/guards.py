"""Keeps marker and effect in one transaction: refuses what would part them."""

import re
import sys
from typing import Any

from sqlalchemy import Connection, Engine
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.event import listen
from sqlalchemy.orm import Session, SessionTransaction

# Literals, quoted names and comments: a word in them is no statement.
_NOISE = re.compile(
    r"""(?s)\b[eE]'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|\[[^\]]*\]"""
)
# Statements that end the transaction.
_STANDARD = re.compile(
    r"(?i)(?:^|;)\s*(COMMIT|END|ABORT|PREPARE\s+TRANSACTION"
    r"|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b))\b"
)
# Statements that end the transaction of SQL Server.
_MSSQL = re.compile(r"(?i)(?<![\w@#$])(COMMIT|ROLLBACK(?!\s+TRAN(?:SACTION)?\s+\w))\b")
_ENDING = {
    "postgresql": _STANDARD,
    "mssql": _MSSQL,
}
_SAVEPOINT = re.compile(
    r"(?is)(?:\s|--[^\n]*|/\*.*?\*/)*"
    r"(?:SAVEPOINT|SAVE\s+TRAN\w*"
    r"|(?P<back>ROLLBACK)\s+(?:(?:\w+\s+)?TO(?:\s+SAVEPOINT)?|TRAN\w*))"
    r"\s+(?P<name>[^\s;]+)"
)
_AUTOCOMMIT = "its engine is in AUTOCOMMIT: use one with transactions"


class AtomicityError(Exception):
    """Marker and effect cannot be committed as one: do not acknowledge."""


class Guard:
    """Watches the session and the connection of a delivery, until its commit is done."""

    def __init__(self, session: Session, connection: Connection) -> None:
        if misfit := _misfit(session, connection):
            raise AtomicityError(misfit)
        self.connection = connection
        self.session = session
        self.at_start = session.get_transaction(), connection.get_transaction()
        self._watched = session, connection, connection.connection.dbapi_connection
        self._refusal: AtomicityError | None = None
        self.may_commit = False
        self.failed = False
        # Rolling back to a savepoint heals a failure, unless it was set after that.
        self.too_late: set[str] = set()

    def __enter__(self) -> None:
        _GUARDS.update((id(watched), self) for watched in self._watched)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        for watched in self._watched:
            # A connection that was given back is another delivery's by now.
            if _GUARDS.get(id(watched)) is self:
                del _GUARDS[id(watched)]
        if error is None:
            self._raise_swallowed()

    def allow_commit(self) -> None:
        """End the handler's part, in which nothing may commit. Raises as `check` does."""
        self.check()
        self.may_commit = True

    def check(self) -> None:
        """Raise AtomicityError unless the transaction is whole, and the one of the marker."""
        self._raise_swallowed()
        now = self.session.get_transaction(), self.connection.get_transaction()
        if now != self.at_start:
            raise AtomicityError("the handler ended the transaction: it must not")
        if _is_lost(self.connection):
            raise AtomicityError("the transaction failed or ended in the driver")

    def refuse(self, why: str) -> None:
        """Raise AtomicityError now, and at the end if this one is swallowed."""
        self._refusal = AtomicityError(f"the handler {why}")
        raise self._refusal

    def _raise_swallowed(self) -> None:
        if self._refusal:
            raise self._refusal
        if self.failed:
            raise AtomicityError("a database error was swallowed: use begin_nested()")


# The deliveries at work, by the ids of what they watch. The listeners below hear of
# everything in the process, and leave alone what is not among them.
_GUARDS: dict[int, Guard] = {}


def _in_transaction_of(driver: Any) -> Guard | None:
    """The delivery in whose transaction the driver's connection is."""
    guard = _GUARDS.get(id(driver))
    return guard if guard and guard.connection.in_transaction() else None


def _before(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and (
        found := _ENDING[connection.dialect.name].search(_NOISE.sub(" ", sql))
    ):
        guard.refuse(f"sent {found[1]}: it must not end the transaction")


def _after(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and guard.failed and (found := _SAVEPOINT.match(sql)):
        name = found["name"].strip("\"'`[]").lower()
        if not found["back"]:
            guard.too_late.add(name)
        elif name not in guard.too_late:
            guard.failed = False
            guard.too_late.clear()


def _on_error(context: ExceptionContext) -> None:
    if guard := _GUARDS.get(id(context.connection)):
        guard.failed = True


def _on_commit(connection: Connection) -> None:
    driver = connection.connection
    if guard := _in_transaction_of(driver.dbapi_connection):
        try:
            if not guard.may_commit:
                guard.refuse("committed: it must not; begin_nested() is a savepoint")
            guard.check()  # once more: listeners of the application ran since
        except AtomicityError:
            # To SQLAlchemy the transaction has ended, and the pool would not reset it.
            driver.rollback()
            raise


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


def _misfit(session: Session, connection: Connection) -> str | None:
    """Why marker and effect cannot be one transaction here, if so."""
    driver_name = connection.dialect.driver
    if driver_name not in (
        "mssqlpython",
        "pg8000",
        "psycopg",
        "psycopg2",
        "pymssql",
        "pyodbc",
    ):
        return f"the inbox was generated without the driver {driver_name}"
    driver: Any = connection.connection.dbapi_connection
    if _in_transaction_of(driver):
        return "its connection is in the transaction of another delivery"
    if session.twophase:
        return "its session commits in two phases"
    if driver_name == "pymssql":
        return _AUTOCOMMIT if driver.autocommit_state else None
    return _AUTOCOMMIT if driver.autocommit else None


def _is_lost(connection: Connection) -> bool:
    """Whether the driver knows better than SQLAlchemy, after a raw cursor say."""
    driver_name = connection.dialect.driver
    driver: Any = connection.connection.driver_connection
    if driver_name in ("psycopg", "psycopg2"):
        return bool(driver.info.transaction_status != 2)  # PQTRANS_INTRANS
    if driver_name == "pg8000":
        return bool(driver._transaction_status != b"T")
    return False
