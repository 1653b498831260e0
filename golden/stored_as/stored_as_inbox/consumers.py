"""A function for each consumer: call it once per delivery, and acknowledge by what it returns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.orm import Session, sessionmaker

from .handlers import billing, lambda_
from .key import MessageKey
from .runtime import Handled, consume


def consume_billing(
    sessions: sessionmaker[Session], key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for billing."""
    return consume(sessions, "invoicing", key, message, billing.handle)


def consume_lambda_(
    sessions: sessionmaker[Session], key: MessageKey, message: Mapping[str, object]
) -> Handled:
    """Take a message for lambda."""
    return consume(sessions, "lambda", key, message, lambda_.handle)
