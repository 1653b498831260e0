"""Keeps marker and effect in one transaction: refuses what would part them."""

from __future__ import annotations

import re
import sys
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.event import listen
from sqlalchemy.orm import Session, SessionTransaction

# Literals, quoted names and comments: a word in them is no statement.
_NOISE = re.compile(
    r"""(?s)'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$"""
)
# Statements that end the transaction.
_ENDING = re.compile(
    r"(?i)(?:^|;)\s*(COMMIT|END|ABORT|PREPARE\s+TRANSACTION"
    r"|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b))\b"
)
_SAVEPOINT = re.compile(
    r"(?i)\s*(SAVEPOINT|ROLLBACK\s+(?:\w+\s+)?TO)\s+(?:SAVEPOINT\s+)?([^\s;]+)"
)


class AtomicityError(Exception):
    """Marker and effect would have parted, so neither is committed: do not acknowledge."""


class Guard:
    """Watches one delivery's session and connection, and no others, in its handler."""

    def __init__(self, session: Session, connection: Connection) -> None:
        if connection.dialect.name not in ("postgresql", "sqlite"):
            raise AtomicityError(f"generated without {connection.dialect.name}")
        if _commits_by_itself(connection):
            raise AtomicityError("the engine is in AUTOCOMMIT; use one that is not")
        self._session = session
        self._connection = connection
        self._begun = session.get_transaction(), connection.get_transaction()
        self._armed = True
        self._refusal: AtomicityError | None = None
        self._running = False
        self._failed = False
        self._after_failure: set[str] = set()  # savepoints too late to heal it

    def __enter__(self) -> None:
        listen(self._connection, "before_cursor_execute", self._before)
        listen(self._connection, "after_cursor_execute", self._after)
        listen(self._connection, "commit", self._on_commit)
        listen(self._session, "after_begin", self._on_begin)
        listen(self._session, "after_soft_rollback", self._on_rollback)

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        self._armed = False
        if error:
            return
        if self._refusal:
            raise self._refusal
        now = self._session.get_transaction(), self._connection.get_transaction()
        if now != self._begun:
            raise AtomicityError("the handler ended the transaction: leave that to us")
        if self._failed or self._running:
            hint = "what may fail belongs into session.begin_nested()"
            raise AtomicityError(f"the handler went on after a database error: {hint}")
        if _is_lost(self._connection):
            raise AtomicityError("the transaction failed or ended in the driver")

    def _refuse(self, why: str) -> None:
        if self._armed:
            self._refusal = AtomicityError(f"the handler {why}")
            raise self._refusal

    def _before(self, _: Connection, __: Any, sql: str, *___: Any) -> None:
        self._failed |= self._running
        if found := _ENDING.search(_NOISE.sub(" ", sql)):
            self._refuse(f"sent {found[1]}: leave the end of the transaction to us")
        self._running = True

    def _after(self, _: Connection, __: Any, sql: str, *___: Any) -> None:
        self._running = False
        if self._failed and (found := _SAVEPOINT.match(sql)):
            if found[1][0] in "Ss":
                self._after_failure.add(found[2])
            elif found[2] not in self._after_failure:
                self._failed = False
                self._after_failure.clear()

    def _on_commit(self, _: Connection) -> None:
        self._refuse("committed: leave that to us, or use session.begin_nested()")

    def _on_begin(self, _: Session, __: object, connection: Connection) -> None:
        if connection is not self._connection:
            self._refuse("left the marker's transaction for another one or database")

    def _on_rollback(self, _: Session, ended: SessionTransaction) -> None:
        # While an error is on its way, a failed flush say, this must not replace it.
        if ended is self._begun[0] and sys.exc_info()[0] is None:
            self._refuse("rolled back: raise instead, or use session.begin_nested()")


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _commits_by_itself(connection: Connection) -> bool:
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        # Without an isolation level, a begin event of the engine may have begun.
        begun: bool = _driver(connection).in_transaction
        return driver.isolation_level is None and not begun
    return bool(driver.autocommit)


def _is_lost(connection: Connection) -> bool:
    """Failures that SQLAlchemy did not see, by the driver's own word."""
    driver = _driver(connection)
    if connection.dialect.name == "sqlite":
        return not driver.in_transaction
    if connection.dialect.driver in ("psycopg", "psycopg2"):
        return bool(driver.info.transaction_status != 2)  # PQTRANS_INTRANS
    return False
