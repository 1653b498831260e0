"""A function for each consumer: call it for each delivery, and act on its outcome."""

from collections.abc import Mapping

from .handlers import credit, email
from .key import MessageKey
from .runtime import Handled, Sessions, consume


def consume_credit(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for credit."""
    return consume(sessions, "credit", key, message, credit.handle)


def consume_email(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for email."""
    return consume(sessions, "email", key, message, email.handle)
