"""A message through the generated handler against the same business write without an inbox.

Both use one driver and one session factory and take turns, so that what the machine does meanwhile hits both alike.
Run: python -m tests.benchmarks.handler [messages per turn] [turns]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from types import ModuleType
from uuid import uuid4

from sqlalchemy import URL, create_engine, text
from sqlalchemy.orm import Session, sessionmaker

from tests.generated import generated
from tests.servers import NoServer, mariadb_database, postgresql_database

SPEC = """
inbox: orders
dialects: [postgresql, sqlite, mariadb]
consumers: {credit: {}, email: {fast_path: true}}
"""
ORDER = text("INSERT INTO business_order (number, amount) VALUES (:number, :amount)")


def place_order(session: Session, message: object) -> None:
    """The business write that both ways have in common."""
    session.execute(ORDER, {"number": str(uuid4()), "amount": 10})


def bare(sessions: sessionmaker[Session]) -> None:
    """What a consumer without an inbox does."""
    with sessions() as session:
        place_order(session, None)
        session.commit()


def ratios(url: URL, package: ModuleType, messages: int, turns: int) -> dict[str, list[float]]:
    """Seconds per message of each way divided by those of the bare write beside it, one for each turn."""
    engine = create_engine(url)
    package.models.Base.metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE business_order (number VARCHAR(40) PRIMARY KEY, amount INTEGER)"))
    sessions = sessionmaker(engine)
    taken = package.MessageKey(message_id=uuid4())

    def handle(consumer: str = "credit", key: object = None) -> None:
        key = key or package.MessageKey(message_id=uuid4())
        package.runtime.consume(sessions, consumer, key, None, place_order)

    def fast() -> None:
        key = package.MessageKey(message_id=uuid4())
        if not package.runtime.is_marked(sessions, "email", key):
            handle("email", key)

    def unguarded() -> None:
        """A marker beside the write, and nothing of what guards it: less than this no inbox can cost."""
        marker = {"message_id": uuid4(), "consumer": "credit"}
        with sessions() as session:
            claim = package.statements.CLAIM[session.connection().dialect.name]
            assert session.connection().execute(claim, marker).rowcount == 1
            place_order(session, None)
            session.commit()

    handle(key=taken)
    ways: dict[str, Callable[[], None]] = {
        "marker alone, no guards": unguarded,
        "new message": handle,
        "new message, fast_path": fast,
        "duplicate": lambda: handle(key=taken),
    }
    found: dict[str, list[float]] = {name: [] for name in ways}
    without = partial(bare, sessions)
    _seconds(without, messages)
    for _ in range(turns):
        for name, way in ways.items():
            seconds = _seconds(without, messages)
            found[name].append(_seconds(way, messages) / seconds)
    engine.dispose()
    return found


def _seconds(way: Callable[[], None], messages: int) -> float:
    start = time.perf_counter()
    for _ in range(messages):
        way()
    return time.perf_counter() - start


def main(messages: int = 200, turns: int = 15) -> None:
    """Print a table: database, way, and the ratio as least, median, greatest."""
    package = generated(SPEC)
    print(f"{messages} messages a turn, {turns} turns; seconds per message / those of the write without an inbox")
    print(f"{'database':<24}{'way':<26}{'least':>7}{'median':>8}{'greatest':>10}")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        urls = [URL.create("sqlite", database=str(folder / "orders.db"))]
        for database, driver in ((postgresql_database, "postgresql+psycopg"), (mariadb_database, "mariadb+pymysql")):
            try:
                urls.append(stack.enter_context(database()).set(drivername=driver))
            except NoServer as missing:
                print(f"left out: {missing}")
        for url in urls:
            for way, found in ratios(url, package, messages, turns).items():
                low, middle, high = min(found), median(found), max(found)
                print(f"{url.drivername:<24}{way:<26}{low:>7.2f}{middle:>8.2f}{high:>10.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
