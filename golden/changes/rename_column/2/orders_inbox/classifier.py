"""Tells a duplicate message from every other error, by the driver's exception alone."""

import re
from enum import Enum

from sqlalchemy import exc

from .errors import Fault, mssql, mysql, postgresql, sqlite

_TABLE = "|".join(
    re.escape(name) for name in ('"inbox_next"', "[inbox_next]", "`inbox_next`")
)
_OUR_STATEMENT = re.compile(
    rf"(?:INSERT INTO|SELECT [^\n']*\nFROM) (?:{_TABLE}) [(\nW]"
)


class Verdict(Enum):
    """What an error says about the message."""

    DUPLICATE = "duplicate"  # our key refused a row: consume() knows if it is done
    CONFLICT = "conflict"  # another unique key was violated
    TRANSIENT = "transient"  # the database's own trouble: back off, do not count it
    OTHER = "other"  # the message's or the handler's own, or not known


_VERDICTS = {
    Fault.UNIQUE_OURS: Verdict.DUPLICATE,
    Fault.UNIQUE_OTHER: Verdict.CONFLICT,
    Fault.LOCK_WAIT: Verdict.TRANSIENT,
    Fault.RETRY: Verdict.TRANSIENT,
    Fault.UNAVAILABLE: Verdict.TRANSIENT,
}


def classify(error: BaseException) -> Verdict:
    """The verdict on an error of SQLAlchemy or a driver; what is not known is OTHER.

    Ask about each error of an ExceptionGroup by itself: the group is OTHER.
    """
    return _VERDICTS.get(diagnose(error), Verdict.OTHER)


def diagnose(error: BaseException) -> Fault:
    """What the driver's exception behind `error` means, UNDEPLOYED resolved."""
    lost = sent_by_us = False
    link: BaseException | None = error
    seen: set[int] = set()
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        if isinstance(link, exc.TimeoutError):  # the pool's: all are in use
            return Fault.UNAVAILABLE
        if isinstance(link, exc.DBAPIError):
            lost = link.connection_invalidated
            sent_by_us = bool(_OUR_STATEMENT.match(link.statement or ""))
        fault = (
            mssql.read(link)
            or mysql.read(link)
            or postgresql.read(link)
            or sqlite.read(link)
        )
        if fault is Fault.UNDEPLOYED:
            fault = Fault.UNAVAILABLE if sent_by_us else Fault.OTHER
        if fault:
            return Fault.UNAVAILABLE if lost and fault is Fault.OTHER else fault
        # Never __context__: that was being handled, and need not have caused this.
        wrapped: object = getattr(link, "orig", None)
        link = wrapped if isinstance(wrapped, BaseException) else link.__cause__
    return Fault.UNAVAILABLE if lost else Fault.OTHER
