"""A function for each consumer: call it once per delivery, and acknowledge by what it returns."""

from __future__ import annotations

from sqlalchemy.orm import Session, sessionmaker

from .handlers import everything
from .key import MessageKey
from .messages import Everything
from .runtime import Handled, consume


def consume_everything(
    sessions: sessionmaker[Session], key: MessageKey, message: Everything
) -> Handled:
    """Take a message for everything."""
    return consume(sessions, "everything", key, message, everything.handle)
