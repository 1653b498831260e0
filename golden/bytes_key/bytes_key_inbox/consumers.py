"""A function for each consumer: call it once per delivery, and acknowledge by what it returns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session, sessionmaker

from .handlers import credit, email
from .key import MessageKey
from .runtime import Handled, consume


def consume_credit(
    sessions: sessionmaker[Session], key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for credit."""
    return consume(sessions, "credit", key, message, credit.handle)


def consume_email(
    sessions: sessionmaker[Session], key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for email."""
    return consume(sessions, "email", key, message, email.handle)
