"""The effect of credit."""

from sqlalchemy.ext.asyncio import AsyncSession

from ..messages import CreditRequested


async def handle(session: AsyncSession, message: CreditRequested) -> None:
    """Apply `message` through `session`, which holds the marker's transaction.

    The caller commits. What is raised here rolls back marker and effect, and the message comes again;
    what may fail without that belongs into `async with session.begin_nested():`.
    """
    raise NotImplementedError("credit does not handle its messages yet")
