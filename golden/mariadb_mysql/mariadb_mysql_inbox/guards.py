"""Keeps marker and effect in one transaction: refuses what would part them."""

import re
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, ExceptionContext, event
from sqlalchemy.exc import DBAPIError, StatementError
from sqlalchemy.orm import Session

# Literals, quoted names and comments of MySQL and MariaDB: a word in them is no statement.
_NOISE = re.compile(
    r"""(?s)'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|--[^\n]*|`[^`]*`|#[^\n]*|/\*(?!M?!).*?\*/"""
)
# Statements that end the transaction of MySQL and MariaDB, which DDL commits too.
_ENDING = re.compile(
    r"(?i)(?:^|;|/\*M?!\d*)\s*(?:SET\s+STATEMENT\s[^;]*?\sFOR\s+)?"
    r"(COMMIT|ALTER|ANALYZE\s+(?:\w+\s+)?TABLE|BEGIN|CACHE\s+INDEX|CHECK\s+TABLE"
    r"|(?:CREATE|DROP)\b(?!\s+(?:OR\s+REPLACE\s+)?TEMPORARY)"
    r"|BACKUP|EXECUTE\s+IMMEDIATE|FLUSH|GRANT|INSTALL|LOAD\s+INDEX"
    r"|LOCK\s+TABLES?|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE"
    r"|SET\s+(?:DEFAULT\s+ROLE|PASSWORD)"
    r"|SET\b[^;]*?(?<![\w@.])(?:@@(?:\w+\.)?)?AUTOCOMMIT(?=\s*:?=)|START\s+TRANSACTION"
    r"|TRUNCATE|UNINSTALL|UNLOCK\s+TABLES?|XA"
    r"|ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b))\b"
)
_SAVEPOINT = re.compile(
    r"(?i)(?:\s|--[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*\*/)*"
    r"(?:SAVEPOINT|(ROLLBACK)\s+(?:\w+\s+)?TO(?:\s+SAVEPOINT)?)\s+([^\s;]+)"
)
_ENDED = "the marker's transaction failed or ended: use session.begin_nested()"
_AUTOCOMMIT = "its engine is in AUTOCOMMIT: use one with transactions"


class AtomicityError(Exception):
    """Marker and effect cannot be committed as one: do not acknowledge."""


class Guard:
    """Watches the session and the connection of a delivery, until its commit is done."""

    def __init__(self, session: Session, connection: Connection) -> None:
        self.connection = connection
        self.transaction = connection.get_transaction()
        # Kept alive, since they are known by their ids.
        self._watched = session, connection, connection.connection.dbapi_connection
        self.refusal: str | None = None
        self.failed = self.may_commit = self.committed = False
        # Rolling back to a savepoint heals a failure, unless it was set after that.
        self.too_late: set[str] = set()

    def __enter__(self) -> "Guard":
        with _LOCK:
            if misfit := _misfit(*self._watched):
                raise AtomicityError(misfit)
            _GUARDS.update((id(watched), self) for watched in self._watched)
        return self

    def __exit__(self, *_: object) -> None:
        with _LOCK:
            for watched in self._watched:
                # A connection that was given back is another delivery's by now.
                if _GUARDS.get(id(watched)) is self:
                    del _GUARDS[id(watched)]

    def check(self) -> None:
        """Raise AtomicityError unless the transaction is whole, and the one of the marker."""
        if self.refusal:
            raise AtomicityError(self.refusal)
        if self.failed:
            raise AtomicityError("a database error was swallowed: use begin_nested()")
        if self.connection.get_transaction() is not self.transaction:
            raise AtomicityError(_ENDED)

    def allow_commit(self) -> None:
        """End the handler's part, in which nothing may commit. Raises as `check` does."""
        self.check()
        self.may_commit = True

    def check_commit(self) -> None:
        """Raise AtomicityError unless it is committed."""
        if self.failed or not self.committed:
            raise AtomicityError("its commit failed, or joined another's transaction")

    def refuse(self, why: str) -> None:
        """Raise AtomicityError now, and at the end if this one is swallowed."""
        self.refusal = f"the handler {why}"
        self.check()


# The deliveries at work, by the ids of what they watch. The listeners below hear of
# everything in the process, and leave alone what is not among them.
_GUARDS: dict[int, Guard] = {}
_LOCK = Lock()


def _in_transaction_of(driver: Any) -> Guard | None:
    """The delivery in whose transaction the driver's connection is."""
    guard = _GUARDS.get(id(driver))
    return guard if guard and guard.connection.in_transaction() else None


def _before(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and (found := _ENDING.search(_NOISE.sub(" ", sql))):
        guard.refuse(f"sent {found[1]}: it must not end the transaction")


def _after(connection: Connection, _: object, sql: str, *__: object) -> None:
    guard = _GUARDS.get(id(connection))
    if guard and guard.failed and (found := _SAVEPOINT.match(sql)):
        back, name = found[1], found[2].strip("\"'`[]").lower()
        if not back:
            guard.too_late.add(name)
        elif name not in guard.too_late:
            guard.failed = False
            guard.too_late.clear()


def _on_error(context: ExceptionContext) -> None:
    guard = _GUARDS.get(id(context.connection))
    # A StatementError proper, over a parameter say, has not come as far as the server.
    if guard and type(context.sqlalchemy_exception) is not StatementError:
        # SQLAlchemy itself asks for a table by the error that there is none.
        expected = "skip_user_error_events"
        execution = context.execution_context
        guard.failed |= not (execution and execution.execution_options.get(expected))


def _on_commit(connection: Connection) -> None:
    driver: Any = connection.connection.dbapi_connection
    if guard := _in_transaction_of(driver):
        try:
            if not guard.may_commit or connection is not guard.connection:
                guard.refuse("committed: it must not; begin_nested() is a savepoint")
            guard.check()  # once more: listeners of the application ran since
            _check_driver(connection)
            guard.committed = True
        except BaseException:
            # To SQLAlchemy the transaction has ended, and the pool would not reset it.
            if not connection.invalidated:
                driver.rollback()
            raise


def _on_begin(session: Session, _: object, connection: Connection) -> None:
    guard = _GUARDS.get(id(session))
    if guard and connection is not guard.connection and not guard.committed:
        guard.refuse("left the marker's transaction for another one or database")


event.listen(Engine, "before_cursor_execute", _before)
event.listen(Engine, "after_cursor_execute", _after)
event.listen(Engine, "handle_error", _on_error)
event.listen(Engine, "commit", _on_commit)
event.listen(Session, "after_begin", _on_begin)


def _misfit(session: Session, connection: Connection, driver: Any) -> str | None:
    """Why marker and effect cannot be one transaction here, if so."""
    driver_name = connection.dialect.driver
    if driver_name not in ("mariadbconnector", "mysqlconnector", "mysqldb", "pymysql"):
        return f"the inbox was generated without the driver {driver_name}"
    if _in_transaction_of(driver):
        return "its connection is in the transaction of another delivery"
    if session.twophase:
        return "its session commits in two phases"
    if driver_name in ("mysqldb", "pymysql"):
        return _AUTOCOMMIT if driver.get_autocommit() else None
    return _AUTOCOMMIT if driver.autocommit else None


def set_savepoint(connection: Connection) -> None:
    """Set what goes with the transaction."""
    connection.exec_driver_sql("SAVEPOINT inbox_marker")


def _check_driver(connection: Connection) -> None:
    """Raise AtomicityError for what went unseen, by a raw cursor say or a procedure."""
    try:
        connection.exec_driver_sql("RELEASE SAVEPOINT inbox_marker")
    except DBAPIError as error:
        raise AtomicityError(_ENDED) from error
