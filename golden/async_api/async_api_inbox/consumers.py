"""A function for each consumer: call it for each delivery, and act on its outcome."""

from collections.abc import Mapping

from .handlers import credit, email
from .key import MessageKey
from .messages import CreditRequested
from .runtime import Handled, Sessions, consume


async def consume_credit(
    sessions: Sessions, key: MessageKey, message: CreditRequested
) -> Handled:
    """Take a message for credit."""
    return await consume(sessions, "credit", key, message, credit.handle)


async def consume_email(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for email."""
    return await consume(sessions, "email", key, message, email.handle)
