"""Deliveries to a generated package by the awaited runtime, and what became of each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

from tests.guards.delivery import Counter, Ending
from tests.races import shop

DRIVERS = {
    "asyncpg": ("postgresql", "postgresql+asyncpg"),
    "psycopg": ("postgresql", "postgresql+psycopg_async"),
    "aiosqlite": ("sqlite", "sqlite+aiosqlite"),
    "aiomysql": ("mariadb", "mariadb+aiomysql"),
}
Handler = Callable[[AsyncSession, str], Awaitable[None]]


async def apply(session: AsyncSession, message: str) -> None:
    await session.execute(shop.credit(message))


class Awaited:
    """Deliveries of one message by the awaited runtime, and what became of them."""

    def __init__(self, counter: Counter, drivername: str) -> None:
        self.counter = counter
        self.url = counter.engine.url.set(drivername=drivername)

    def run(self, *handlers: Handler, **options: Any) -> list[Ending]:
        """Deliver the message to each handler in turn, on one engine."""

        async def deliver_each() -> list[Ending]:
            engine = create_async_engine(self.url, **options)
            try:
                return [await self.deliver(engine, handler) for handler in handlers]
            finally:
                await engine.dispose()

        return asyncio.run(deliver_each())

    async def deliver(self, engine: Any, handler: Handler = apply) -> Ending:
        counter, error = self.counter, None
        sessions = async_sessionmaker(engine)
        try:
            consume = counter.package.runtime.consume
            said = (await consume(sessions, "credit", counter.key, counter.message, handler)).outcome.name
        except asyncio.CancelledError:  # not kept, since its traceback has the cursor
            said = "CancelledError"
        except Exception as raised:
            said, error = type(raised).__name__, raised
        return counter.ending(said, error)
