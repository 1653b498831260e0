"""A function for each consumer: call it once per delivery, and acknowledge by what it returns."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker

from .handlers import credit, email
from .key import MessageKey
from .messages import CreditRequested
from .runtime import Handled, consume


async def consume_credit(
    sessions: async_sessionmaker[AsyncSession],
    key: MessageKey,
    message: CreditRequested,
) -> Handled:
    """Take a message for credit."""
    return await consume(sessions, "credit", key, message, credit.handle)


async def consume_email(
    sessions: async_sessionmaker[AsyncSession],
    key: MessageKey,
    message: Mapping[str, object],
) -> Handled:
    """Take a message for email."""
    return await consume(sessions, "email", key, message, email.handle)
