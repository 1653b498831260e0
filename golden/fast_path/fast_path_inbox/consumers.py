"""A function for each consumer: call it for each delivery, and act on its outcome."""

from collections.abc import Mapping

from .handlers import credit, email
from .key import MessageKey
from .runtime import Handled, Outcome, Sessions, consume, is_marked


def consume_credit(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for credit."""
    # It only spares a redelivery the claim, which alone decides who is first.
    if is_marked(sessions, "credit", key):
        return Handled(Outcome.DUPLICATE)
    return consume(sessions, "credit", key, message, credit.handle)


def consume_email(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for email."""
    return consume(sessions, "email", key, message, email.handle)
