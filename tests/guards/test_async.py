"""The awaited runtime refuses what the called one refuses; besides, a delivery can be cancelled."""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from tests.guards.awaited import DRIVERS, Awaited, Handler, apply
from tests.guards.delivery import DUPLICATE, PROCESSED, Ending, refused
from tests.guards.handlers import TAKEN
from tests.races import shop


async def _violate(session: AsyncSession) -> None:
    for _ in range(2):
        await session.execute(insert(shop.orders).values(number=TAKEN))


async def _commit(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await session.commit()


async def _commit_swallowed(session: AsyncSession, message: str) -> None:
    with suppress(Exception):
        await _commit(session, message)


async def _commit_by_connection(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await (await session.connection()).commit()


async def _commit_by_text(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await session.execute(text("COMMIT"))


async def _rollback(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await session.rollback()


async def _rollback_by_text(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await session.execute(text("rollback"))


async def _close(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await session.close()


async def _swallow(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    with suppress(DBAPIError):
        await _violate(session)


async def _nested(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    with suppress(DBAPIError):
        async with session.begin_nested():
            await _violate(session)


async def _violation(session: AsyncSession, message: str) -> None:
    await apply(session, message)
    await _violate(session)


async def _in_sync_half(session: AsyncSession, message: str) -> None:
    await session.run_sync(lambda half: half.execute(shop.credit(message)))
    await session.run_sync(lambda half: half.commit())


async def swallow_unseen(session: AsyncSession, message: str) -> None:
    """An error of the driver's own that SQLAlchemy does not see; PostgreSQL would commit nothing, and say nothing."""
    await apply(session, message)
    raw = (await (await session.connection()).get_raw_connection()).driver_connection
    with suppress(Exception):
        await raw.execute("SELECT no_such_column")  # type: ignore[union-attr]


@pytest.mark.parametrize("awaited", ["asyncpg", "psycopg"], indirect=True)
def test_error_that_only_the_driver_saw_is_refused(awaited: Awaited) -> None:
    assert awaited.run(swallow_unseen, apply, apply) == [refused(), PROCESSED, DUPLICATE]


@pytest.mark.parametrize(
    "handler",
    [
        _commit,
        _commit_swallowed,
        _commit_by_connection,
        _commit_by_text,
        _rollback,
        _rollback_by_text,
        _close,
        _swallow,
        _in_sync_half,
    ],
)
def test_what_parts_marker_and_effect_is_refused(awaited: Awaited, handler: Handler) -> None:
    assert awaited.run(handler, apply, apply) == [refused(), PROCESSED, DUPLICATE]


def test_error_in_a_savepoint_is_the_handlers_own(awaited: Awaited) -> None:
    assert awaited.run(_nested, _nested) == [PROCESSED, DUPLICATE]


def test_violation_is_raised(awaited: Awaited) -> None:
    ends = awaited.run(_violation, apply, apply)
    assert ends == [refused("IntegrityError"), PROCESSED, DUPLICATE]
    assert ends[0].error
    assert awaited.counter.package.classify(ends[0].error).name == "CONFLICT"


def test_autocommit_is_refused(awaited: Awaited) -> None:
    assert awaited.run(apply, isolation_level="AUTOCOMMIT") == [refused()]
    assert awaited.run(apply) == [PROCESSED]


@pytest.mark.parametrize("awaited", [name for name in DRIVERS if name != "asyncpg"], indirect=True)
def test_autocommit_of_the_driver_is_refused(awaited: Awaited) -> None:
    on_sqlite = awaited.counter.on == "sqlite"
    arguments = {"isolation_level": None} if on_sqlite else {"autocommit": True}
    assert awaited.run(apply, connect_args=arguments) == [refused()]
    assert awaited.run(apply) == [PROCESSED]


@pytest.mark.parametrize("where", ["before", "after", "in a statement"])
def test_cancellation_leaves_the_message_intact(awaited: Awaited, where: str) -> None:
    """On one pooled connection, so that what the cancelled delivery left there would show."""
    slow = {
        "postgresql": "SELECT pg_sleep(2)",
        "mariadb": "SELECT sleep(2)",
        "sqlite": "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)"
        " SELECT max(i) FROM n",
    }

    async def cancelled() -> list[Ending]:
        engine = create_async_engine(awaited.url, pool_size=1, max_overflow=0)
        reached = asyncio.Event()

        async def handle(session: AsyncSession, message: str) -> None:
            if where != "before":
                await apply(session, message)
            reached.set()
            if where == "in a statement":
                await session.execute(text(slow[awaited.counter.on]))
            await asyncio.sleep(60)

        try:
            task = asyncio.create_task(awaited.deliver(engine, handle))
            await reached.wait()
            await asyncio.sleep(0.05)
            task.cancel()
            first = await task
            # SQLite keeps its lock for as long as the cancelled statement's cursor lives, which is in a cycle.
            gc.collect()
            return [first, await awaited.deliver(engine), await awaited.deliver(engine)]
        finally:
            await engine.dispose()

    assert asyncio.run(cancelled()) == [refused("CancelledError"), PROCESSED, DUPLICATE]
    assert awaited.counter.package.guards._GUARDS == {}


def test_time_out_leaves_the_message_intact(awaited: Awaited) -> None:
    async def handle(session: AsyncSession, message: str) -> None:
        await apply(session, message)
        async with asyncio.timeout(0.05):
            await asyncio.sleep(60)

    assert awaited.run(handle, apply) == [refused("TimeoutError"), PROCESSED]


def test_tasks_take_one_message_at_once(awaited: Awaited) -> None:
    async def race() -> list[str]:
        engine = create_async_engine(awaited.url, pool_size=8)
        try:
            return [ending.said for ending in await asyncio.gather(*(awaited.deliver(engine) for _ in range(8)))]
        finally:
            await engine.dispose()

    said = asyncio.run(race())
    assert said.count("PROCESSED") == 1, said
    assert said.count("DUPLICATE") == 7, said
    assert awaited.run(apply) == [DUPLICATE]
