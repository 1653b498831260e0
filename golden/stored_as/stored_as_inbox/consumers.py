"""A function for each consumer: call it for each delivery, and act on its outcome."""

from collections.abc import Mapping

from .handlers import billing, lambda_
from .key import MessageKey
from .runtime import Handled, Sessions, consume


def consume_billing(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for billing."""
    return consume(sessions, "invoicing", key, message, billing.handle)


def consume_lambda_(
    sessions: Sessions, key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for lambda."""
    return consume(sessions, "lambda", key, message, lambda_.handle)
