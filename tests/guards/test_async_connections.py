"""The awaited runtime on a connection that is not the delivery's alone, or not for long."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.pool import StaticPool

from tests.guards.awaited import Awaited, apply
from tests.guards.delivery import DUPLICATE, PROCESSED, Ending, refused


def test_connection_given_back_by_the_handler(awaited: Awaited) -> None:
    """On one pooled connection, which must not keep the transaction of a refused commit."""

    async def give_back(session: AsyncSession, message: str) -> None:
        await apply(session, message)
        with suppress(Exception):
            await session.commit()
        await session.close()

    async def deliveries() -> list[Ending]:
        engine = create_async_engine(awaited.url, pool_size=1, max_overflow=0)
        try:
            first = await awaited.deliver(engine, give_back)
            async with engine.begin() as connection:  # would commit what the delivery left there
                await connection.execute(text("SELECT 1"))
            return [first, await awaited.deliver(engine), await awaited.deliver(engine)]
        finally:
            await engine.dispose()

    assert asyncio.run(deliveries()) == [refused(), PROCESSED, DUPLICATE]


def at_once(awaited: Awaited) -> Ending:
    """Deliver a second message while the first is handled, on the one connection that there is."""
    other = Awaited(replace(awaited.counter, message=uuid4().hex), awaited.url.drivername)

    async def deliveries() -> Ending:
        engine = create_async_engine(awaited.url, poolclass=StaticPool)
        handled, refusal = asyncio.Event(), asyncio.Event()

        async def wait(session: AsyncSession, message: str) -> None:
            handled.set()
            await refusal.wait()
            await apply(session, message)

        try:
            first = asyncio.create_task(awaited.deliver(engine, wait))
            await handled.wait()
            assert await other.deliver(engine) == refused()
            refusal.set()
            return await first
        finally:
            await engine.dispose()

    return asyncio.run(deliveries())


@pytest.mark.parametrize("awaited", ["aiosqlite"], indirect=True)
def test_deliveries_at_once_on_one_connection(awaited: Awaited) -> None:
    """The end of the second rolls the first one back, as the end of every session on that connection does."""
    assert at_once(awaited) == refused()
    assert awaited.run(apply, apply) == [PROCESSED, DUPLICATE]


@pytest.mark.parametrize("swallowed", [False, True], ids=["raised", "swallowed"])
def test_rollback_on_the_way_of_an_error(awaited: Awaited, swallowed: bool) -> None:
    """The handler's own error is what tells of the message; it must not be hidden behind a refusal."""

    async def handle(session: AsyncSession, message: str) -> None:
        try:
            await apply(session, message)
            raise LookupError(message)
        except BaseException:
            await session.rollback()
            if not swallowed:
                raise

    ends = awaited.run(handle, apply, apply)
    assert ends == [refused("AtomicityError" if swallowed else "LookupError"), PROCESSED, DUPLICATE]
