"""What handlers do all day is nothing to the guards."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, insert, select, text, update
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.claim_counts import DRIVERS, MODULES
from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, apply
from tests.guards.handlers import Order
from tests.races import shop


def many_objects(session: Session, message: str) -> None:
    session.add_all([Order(number=f"{message} {number}") for number in range(2500)])


def many_rows(session: Session, message: str) -> None:
    session.execute(insert(shop.orders), [{"number": f"{message} {number}"} for number in range(500)])


def many_rows_returned(session: Session, message: str) -> None:
    rows = [{"number": f"{message} {number}"} for number in range(2500)]
    if session.connection().dialect.insert_executemany_returning:
        assert len(session.scalars(insert(Order).returning(Order.id), rows).all()) == 2500


def many_rows_raw(session: Session, message: str) -> None:
    mark = {"qmark": "?", "numeric_dollar": "$1"}.get(session.connection().dialect.paramstyle, "%s")
    rows = [(f"{message} {number}",) for number in range(100)]
    session.connection().exec_driver_sql(f"INSERT INTO orders (number) VALUES ({mark})", rows)


def streamed(session: Session, message: str) -> None:
    many_rows(session, message)
    for order in session.scalars(select(Order).where(Order.number.startswith(message)).execution_options(yield_per=7)):
        order.number += "'"


def streamed_in_part(session: Session, message: str) -> None:
    many_rows(session, message)
    rows = session.execute(select(shop.orders).execution_options(stream_results=True, max_row_buffer=3))
    rows.fetchmany(5)
    rows.close()


def changed_and_deleted(session: Session, message: str) -> None:
    order = Order(number=message)
    session.add(order)
    session.flush()
    session.refresh(order)
    order.number += "'"
    session.flush()
    session.delete(order)


def without_autoflush(session: Session, message: str) -> None:
    with session.no_autoflush:
        session.add(Order(number=message))
        session.execute(update(shop.orders).where(shop.orders.c.number == "nobody's").values(number="x"))


def on_the_drivers_cursor(session: Session, message: str) -> None:
    cursor = session.connection().connection.cursor()
    cursor.execute("SELECT 1")
    cursor.fetchall()
    cursor.close()


def in_savepoints(session: Session, message: str) -> None:
    for number in range(5):
        with session.begin_nested():
            session.add(Order(number=f"{message} {number}"))
        savepoint = session.begin_nested()
        session.add(Order(number=f"{message} {number}"))
        session.expunge_all()
        savepoint.rollback()


def nothing_found(session: Session, message: str) -> None:
    assert session.get(Order, -1) is None
    session.expire_all()


SOUND = [
    many_objects,
    many_rows,
    many_rows_returned,
    many_rows_raw,
    streamed,
    streamed_in_part,
    changed_and_deleted,
    without_autoflush,
    on_the_drivers_cursor,
    in_savepoints,
    nothing_found,
]


@pytest.mark.parametrize("driver", [name for name, (_, _, awaited) in DRIVERS.items() if not awaited])
@pytest.mark.parametrize("work", SOUND)
def test_sound_handler_is_not_refused(
    counter_on: Callable[[str], Counter], driver: str, work: Callable[[Session, str], None]
) -> None:
    on, drivername, _ = DRIVERS[driver]
    pytest.importorskip(MODULES.get(driver, driver))
    counter = counter_on(on)
    engine = create_engine(counter.engine.url.set(drivername=drivername))

    def handle(session: Session, message: str) -> None:
        apply(session, message)
        work(session, message)

    ending = counter.deliver(handle, sessions=sessionmaker(engine))
    assert ending == PROCESSED, repr(ending.error)
    assert counter.deliver(handle, sessions=sessionmaker(engine)) == DUPLICATE
    engine.dispose()


@pytest.mark.parametrize(
    "sql",
    ["NOTIFY credits, 'COMMIT'", "SET LOCAL work_mem = '8MB'", "SELECT pg_advisory_xact_lock(1)", "DO 'BEGIN END'"],
)
def test_statement_of_postgresql(counter_on: Callable[[str], Counter], sql: str) -> None:
    def handle(session: Session, message: str) -> None:
        apply(session, message)
        session.execute(text(sql))

    assert counter_on("postgresql").deliver(handle) == PROCESSED


def test_nothing_is_kept_of_a_delivery(counter: Counter) -> None:
    """One listener stays on the dialect; guards, sessions and connections go with their delivery."""

    def living() -> int:
        gc.collect()
        return sum(type(thing).__name__ in ("Guard", "Session", "Connection") for thing in gc.get_objects())

    counter.deliver()
    before = living()
    for _ in range(20):
        replace(counter, message=uuid4().hex).deliver()
    assert living() <= before
