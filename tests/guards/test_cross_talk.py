"""Deliveries and ordinary work in many threads over few connections: no guard hears of what is not its own."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from time import sleep
from uuid import uuid4

import pytest
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session, sessionmaker

from tests.guards.delivery import Counter, apply
from tests.guards.handlers import COMMITS, after_applying
from tests.races import shop

ROUNDS = 40


def _close(session: Session) -> None:
    """The connection is back in the pool while the delivery is still at work."""
    session.close()
    sleep(0.02)  # long enough for another thread to work on it
    with suppress(Exception):
        session.commit()


WORK: dict[str, Callable[[Counter, sessionmaker[Session]], str]] = {
    "PROCESSED": lambda counter, sessions: counter.deliver(sessions=sessions).said,
    "AtomicityError": lambda counter, sessions: counter.deliver(after_applying(_close), sessions=sessions).said,
    "AtomicityError ": lambda counter, sessions: counter.deliver(COMMITS["session, swallowed"], sessions=sessions).said,
    "committed": lambda counter, sessions: _commit(counter, sessions),
}


def _commit(counter: Counter, sessions: sessionmaker[Session]) -> str:
    with sessions() as session:
        session.execute(shop.credit(counter.message))
        session.commit()
    return "committed"


def _two_connections(engine: Engine) -> Engine:
    return create_engine(engine.url, pool_size=2, max_overflow=0, pool_timeout=60)


@pytest.mark.parametrize("on", ["postgresql", "mariadb"])  # SQLite has one writer
def test_threads_over_two_connections(counter_on: Callable[[str], Counter], on: str) -> None:
    counter = counter_on(on)
    engine = _two_connections(counter.engine)
    sessions = sessionmaker(engine)

    def work(wanted: str) -> tuple[str, str, int]:
        mine = replace(counter, message=uuid4().hex)
        said = WORK[wanted](mine, sessions)
        return wanted.strip(), said, shop.count_credits(counter.engine, mine.message)

    with ThreadPoolExecutor(8) as pool:
        ends = Tally(pool.map(work, [*WORK] * ROUNDS))
    engine.dispose()
    assert ends == {
        ("PROCESSED", "PROCESSED", 1): ROUNDS,
        ("AtomicityError", "AtomicityError", 0): 2 * ROUNDS,
        ("committed", "committed", 1): ROUNDS,
    }
    assert counter.package.guards._GUARDS == {}


def test_nothing_is_left_of_a_delivery(counter: Counter) -> None:
    def interrupt(session: Session, message: str) -> None:
        apply(session, message)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        counter.deliver(interrupt)
    assert counter.deliver(COMMITS["session"]).said == "AtomicityError"
    assert counter.deliver().said == "PROCESSED"
    assert counter.deliver().said == "DUPLICATE"
    assert counter.package.guards._GUARDS == {}
