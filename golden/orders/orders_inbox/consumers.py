"""A function for each consumer: call it once per delivery, and acknowledge by what it returns."""

from __future__ import annotations

from sqlalchemy.orm import Session, sessionmaker

from .handlers import credit, email, erp_sync
from .key import MessageKey
from .messages import CreditRequested, OrderPlaced
from .runtime import Handled, Outcome, consume, is_marked


def consume_credit(
    sessions: sessionmaker[Session], key: MessageKey, message: CreditRequested
) -> Handled:
    """Take a message for credit."""
    return consume(sessions, "credit", key, message, credit.handle)


def consume_email(
    sessions: sessionmaker[Session], key: MessageKey, message: CreditRequested
) -> Handled:
    """Take a message for email."""
    # A look-up of its own spares a redelivery the claim; the claim alone decides who is first.
    if is_marked(sessions, "email", key):
        return Handled(Outcome.DUPLICATE)
    return consume(sessions, "email", key, message, email.handle)


def consume_erp_sync(
    sessions: sessionmaker[Session], key: MessageKey, message: OrderPlaced
) -> Handled:
    """Take a message for erp-sync."""
    return consume(sessions, "erp", key, message, erp_sync.handle)
