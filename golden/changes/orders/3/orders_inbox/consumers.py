"""A function for each consumer: call it for each delivery, and act on its outcome."""

from .handlers import audit, credit, letters
from .key import MessageKey
from .messages import CreditRequested, OrderPlaced
from .runtime import Handled, Outcome, Sessions, consume, is_marked


def consume_audit(sessions: Sessions, key: MessageKey, message: OrderPlaced) -> Handled:
    """Take a message for audit."""
    return consume(sessions, "audit", key, message, audit.handle)


def consume_credit(
    sessions: Sessions, key: MessageKey, message: CreditRequested
) -> Handled:
    """Take a message for credit."""
    return consume(sessions, "credit", key, message, credit.handle)


def consume_letters(
    sessions: Sessions, key: MessageKey, message: CreditRequested
) -> Handled:
    """Take a message for letters."""
    # It only spares a redelivery the claim, which alone decides who is first.
    if is_marked(sessions, "email", key):
        return Handled(Outcome.DUPLICATE)
    return consume(sessions, "email", key, message, letters.handle)
