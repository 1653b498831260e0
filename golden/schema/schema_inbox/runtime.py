"""Takes each message once: marker and effect commit together, or neither does."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker

from .classifier import diagnose
from .errors import Fault
from .guards import AtomicityError, Guard, set_savepoint
from .key import MessageKey
from .statements import BIND, CLAIM, FIND

M = TypeVar("M")
Sessions = sessionmaker[Session]
# What a claim may meet when the message, or another one with its key, was there first.
_SUSPICIONS = {Fault.UNIQUE_OURS, Fault.UNIQUE_OTHER, Fault.RETRY, Fault.LOCK_WAIT}


class Outcome(Enum):
    """What became of one delivery, and so what to tell the broker."""

    PROCESSED = "processed"  # marker and effect are durable: acknowledge
    DUPLICATE = "duplicate"  # it was done before: acknowledge
    IN_PROGRESS = "in progress"  # the wait for another timed out: come back later


@dataclass(frozen=True, slots=True)
class Handled:
    """The end of a delivery that raised nothing."""

    outcome: Outcome


class RefusedWithoutMarker(Exception):
    """The table takes no marker for this message and has none: do not acknowledge.

    Look for a trigger, a sequence behind its table, or a unique key that is not ours.
    """


def consume(
    sessions: Sessions,
    consumer: str,
    key: MessageKey,
    message: M,
    handler: Callable[[Session, M], object],
) -> Handled:
    """Run `handler` unless `consumer` has taken the message before.

    `consumer` is the name in the marker: under another one, every message is new.
    Raises what the handler, a flush or the commit raises, after a rollback, and
    AtomicityError or RefusedWithoutMarker. Acknowledge none of these.
    """
    fault: Fault | None = None
    error: DBAPIError | None = None
    # A second time if the marker that refused is gone when it is looked for.
    for _ in range(2):
        with sessions() as session:
            if session.in_transaction():
                raise AtomicityError("its session is in a transaction already")
            connection = session.connection(bind_arguments=dict(BIND))
            with Guard(session, connection) as guard:
                fault, error = _claim(connection, consumer, key)
                if fault is None:
                    try:
                        set_savepoint(connection)
                        if handler(session, message) is not None:
                            raise TypeError("a handler returns None: is it complete?")
                        session.flush()
                        guard.allow_commit()
                        session.commit()
                        guard.check_commit()
                    except BaseException:
                        # Closing alone would leave a transaction whose commit has failed.
                        session.rollback()
                        raise
                    return Handled(Outcome.PROCESSED)
        if fault is Fault.LOCK_WAIT:
            return Handled(Outcome.IN_PROGRESS)
        # Only a suspicion yet: the committed marker makes it sure.
        if is_marked(sessions, consumer, key):
            return Handled(Outcome.DUPLICATE)
    if error and fault is Fault.RETRY:
        raise error
    raise RefusedWithoutMarker(consumer, key) from error


def is_marked(sessions: Sessions, consumer: str, key: MessageKey) -> bool:
    """Whether a committed marker says that `consumer` has taken the message."""
    with sessions() as session:
        connection = session.connection(bind_arguments=dict(BIND))
        marker = {**key.columns(), "consumer": consumer}
        found = connection.execute(FIND[connection.dialect.name], marker)
        return found.first() is not None


def _claim(
    connection: Connection, consumer: str, key: MessageKey
) -> tuple[Fault | None, DBAPIError | None]:
    """Insert the marker; else tell what refused it, and with which error."""
    marker = {**key.columns(), "consumer": consumer}
    try:
        result = connection.execute(CLAIM[connection.dialect.name], marker)
    except DBAPIError as error:
        if (fault := diagnose(error)) in _SUSPICIONS:
            return fault, error
        raise
    if result.rowcount not in (0, 1):
        raise RuntimeError(f"the claim of a marker reports {result.rowcount} rows")
    return (None if result.rowcount else Fault.UNIQUE_OURS), None
