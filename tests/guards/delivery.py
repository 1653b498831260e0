"""Deliveries to a generated package in this process, and what became of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from uuid import uuid4

from sqlalchemy import Engine
from sqlalchemy.orm import Session, sessionmaker

from tests.races import shop

Handler = Callable[[Session, str], None]


@dataclass(frozen=True)
class Ending:
    """What a delivery said, an outcome's name or an error's class, and what it has left behind."""

    said: str
    credits: int
    markers: int
    error: BaseException | None = field(default=None, compare=False)


PROCESSED = Ending("PROCESSED", 1, 1)
DUPLICATE = Ending("DUPLICATE", 1, 1)


def refused(error: str = "AtomicityError") -> Ending:
    """An error that leaves the message intact."""
    return Ending(error, 0, 0)


def apply(session: Session, message: str) -> None:
    """A sound handler."""
    session.execute(shop.credit(message))


@dataclass(frozen=True)
class Counter:
    """Where one message is delivered, and its effects are counted."""

    package: ModuleType
    engine: Engine
    message: str = field(default_factory=lambda: uuid4().hex)

    @property
    def on(self) -> str:
        return self.engine.dialect.name.replace("mysql", "mariadb")

    @property
    def key(self) -> Any:
        return self.package.MessageKey(message_id=self.message)

    def deliver(
        self, handler: Handler = apply, *, sessions: sessionmaker[Session] | None = None, consumer: str = "credit"
    ) -> Ending:
        """Deliver the message once."""
        sessions = sessions or sessionmaker(self.engine)
        error = None
        try:
            said = self.package.runtime.consume(sessions, consumer, self.key, self.message, handler).outcome.name
        except Exception as raised:
            said, error = type(raised).__name__, raised
        return self.ending(said, error)

    def ending(self, said: str, error: BaseException | None = None) -> Ending:
        """What a delivery said, and what it has left behind."""
        credits = shop.count_credits(self.engine, self.message)
        return Ending(said, credits, shop.count_markers(self.engine, self.package, self.message), error)

    def assert_intact(self) -> None:
        """The next good delivery does the work, and the one after it is a duplicate."""
        assert self.deliver() == PROCESSED
        assert self.deliver() == DUPLICATE
