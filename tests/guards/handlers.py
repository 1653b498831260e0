"""Handlers that part marker and effect, each in its own way: all of them apply the message's effect first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

from tests.guards.delivery import Counter, Handler, apply
from tests.races import shop

TAKEN = "an order number that is taken"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class _Base(DeclarativeBase):
    pass


class Order(_Base):
    """The shop's orders, mapped: a violation is raised by the flush."""

    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[str]


def after_applying(act: Callable[[Session], object]) -> Handler:
    """A handler that applies the effect, then acts."""

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        act(session)

    return handle


def sending(sql: str) -> Handler:
    """A handler that sends a statement as a user would, by `text`."""
    return after_applying(lambda session: session.execute(text(sql)))


def sending_raw(sql: str) -> Handler:
    """A handler that sends a statement as it stands."""
    return after_applying(lambda session: session.connection().exec_driver_sql(sql))


def violate(session: Session) -> None:
    """Violate a unique key of the shop."""
    for _ in range(2):
        session.execute(insert(shop.orders).values(number=TAKEN))


def _swallow(act: Callable[[Session], object]) -> Handler:
    def swallowed(session: Session) -> None:
        with suppress(DBAPIError):
            act(session)

    return after_applying(swallowed)


def _flush_swallowed(session: Session) -> None:
    session.add_all([Order(number=TAKEN), Order(number=TAKEN)])
    with suppress(DBAPIError):
        session.flush()


def _late_savepoint(session: Session) -> None:
    """A savepoint set after the failure cannot take the failure back."""
    with suppress(DBAPIError):
        violate(session)
    with suppress(DBAPIError):
        session.execute(text("SAVEPOINT late"))
        session.execute(text("ROLLBACK TO SAVEPOINT late"))


def _unseen(session: Session) -> None:
    """An error that SQLAlchemy does not see, on the driver's own cursor."""
    cursor = session.connection().connection.cursor()
    with suppress(Exception):
        cursor.execute("SELECT no_such_column")


def _go_on(session: Session) -> None:
    with suppress(DBAPIError):
        violate(session)
    with suppress(DBAPIError):  # PostgreSQL's 25P02
        apply(session, "more")


swallow = _swallow(violate)
swallow_and_go_on = after_applying(_go_on)
swallow_flush = after_applying(_flush_swallowed)
swallow_before_a_savepoint = after_applying(_late_savepoint)
swallow_unseen = after_applying(_unseen)

commit = after_applying(lambda session: session.commit())


def commit_and_swallow(session: Session, message: str) -> None:
    """Even the refusal is swallowed."""
    apply(session, message)
    with suppress(Exception):
        session.commit()


def fail_at_last(session: Session, message: str) -> None:
    """A handler that fails after its writes."""
    apply(session, message)
    raise ValueError


def roll_back_and_apply(session: Session, message: str) -> None:
    """A handler that starts anew, in a transaction without the marker."""
    session.rollback()
    apply(session, message)


def write_marker(counter: Counter, *, by_flush: bool = False, swallow: bool = True) -> Handler:
    """A handler that writes the very marker that the claim has written."""
    marker = counter.package.Marker
    row = {"message_id": counter.message, "consumer": "credit", "received_at": NOW}

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        with suppress(DBAPIError) if swallow else nullcontext():
            if by_flush:
                session.add(marker(**row))
                session.flush()
            else:
                session.execute(insert(marker).values(**row))

    return handle


def _invalidated(session: Session) -> Any:
    return session.invalidate()


COMMITS: dict[str, Handler] = {
    "session": commit,
    "session, swallowed": commit_and_swallow,
    "connection": after_applying(lambda session: session.connection().commit()),
    "transaction of the session": after_applying(lambda session: session.get_transaction().commit()),  # type: ignore[union-attr]
    "transaction of the connection": after_applying(
        lambda session: session.connection().get_transaction().commit()  # type: ignore[union-attr]
    ),
    "in a savepoint": after_applying(lambda session: session.begin_nested().session.commit()),
}
ROLLBACKS: dict[str, Handler] = {
    "session": after_applying(lambda session: session.rollback()),
    "connection": after_applying(lambda session: session.connection().rollback()),
    "transaction of the session": after_applying(lambda session: session.get_transaction().rollback()),  # type: ignore[union-attr]
    "transaction of the connection": after_applying(
        lambda session: session.connection().get_transaction().rollback()  # type: ignore[union-attr]
    ),
    "close": after_applying(lambda session: session.close()),
    "close of the connection": after_applying(lambda session: session.connection().close()),
    "invalidate": after_applying(_invalidated),
    "reset": after_applying(lambda session: session.reset()),
}
