"""One replica of a consumer, a process of its own: takes deliveries from a queue of its own until each is acknowledged.

Messages come in windows of time, the same ones to
every replica at the same moment, in an order of each one's own.
"""

from __future__ import annotations

import importlib
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from sqlalchemy import create_engine, event
from sqlalchemy.orm import sessionmaker

from tests.migrations.messages import message_key

WINDOW = 0.1  # seconds
MESSAGES = 8  # new ones in a window, besides one that was taken before the replica began
DONE = ("PROCESSED", "DUPLICATE")
RETRY = 0.05  # seconds, more after each failure

Delivery = tuple[int, str]


@dataclass(frozen=True)
class Report:
    """What a replica of a release saw: `failures` and the `longest` delivery in seconds, by phase.

    A delivery is a message and the consumer whose effect it has.
    """

    release: str
    processed: int
    taken: Counter[Delivery]
    failures: dict[str, Counter[str]]
    longest: dict[str, float]
    unfinished: list[Delivery]


class Replica:
    """The state of one process: what is still to be delivered, and what came of what was."""

    def __init__(self, job: dict[str, Any]) -> None:
        sys.path.insert(0, job["folder"])
        self._package = importlib.import_module("orders_inbox")
        engine = create_engine(job["url"], pool_size=1, max_overflow=0, **job["options"])
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _do_not_sync)
        engine.connect().close()
        self._sessions = sessionmaker(engine)
        self._release: str = job["release"]
        self._calls: dict[str, str] = job["calls"]
        self._values: dict[str, str] = job["values"]
        self._seeded: int = job["seeded"]
        self._random = random.Random(job["number"])
        self._start = float("inf")
        self._window = 0
        self._last: int | None = None
        self._waiting: list[tuple[float, int, Delivery]] = []
        self.phase = "before"
        self._processed = 0
        self._taken: Counter[Delivery] = Counter()
        self._failures: dict[str, Counter[str]] = {}
        self._longest: dict[str, float] = {}

    def obey(self, order: dict[str, Any]) -> None:
        """`start` is the moment of window 0, `first` and `last` are the windows to take, `again` a range to repeat.

        `take` are deliveries that another replica could not acknowledge; `phase` names what comes now.
        """
        self._start = order.get("start", self._start)
        self._window = order.get("first", self._window)
        self.phase = order.get("phase", self.phase)
        self._last = order.get("last", self._last)
        names = {consumer: name for name, consumer in self._calls.items()}
        self._waiting += [(0.0, 0, (number, names[consumer])) for number, consumer in order.get("take", ())]
        if "again" in order:
            self._add(range(*order["again"]))

    @property
    def is_through(self) -> bool:
        return self._last is not None and self._window > self._last and not self._waiting

    def step(self) -> None:
        """Make one delivery, if one is due."""
        now = time.time()
        while (self._last is None or self._window <= self._last) and now >= self._start + self._window * WINDOW:
            self._add([self._window])
            self._window += 1
        due = [each for each in self._waiting if each[0] <= now]
        if not due:
            time.sleep(0.005)
            return
        chosen = self._random.choice(due)
        self._waiting.remove(chosen)
        self._deliver(*chosen[1:])

    def report(self) -> Report:
        """What it saw."""
        left = [(number, self._calls[name]) for _, _, (number, name) in self._waiting]
        return Report(self._release, self._processed, self._taken, self._failures, self._longest, left)

    def _add(self, windows: Any) -> None:
        for window in windows:
            new = [self._seeded + window * MESSAGES + each for each in range(MESSAGES)]
            for number in (*new, window % self._seeded):
                self._waiting += [(0.0, 0, (number, name)) for name in self._calls]

    def _deliver(self, tries: int, delivery: Delivery) -> None:
        number, name = delivery
        consumer = self._calls[name]
        key = message_key(self._package, self._values, number)
        consume: Callable[..., Any] = getattr(self._package, f"consume_{name}")
        begun = time.perf_counter()
        try:
            ended = consume(self._sessions, key, {"message": number, "consumer": consumer}).outcome.name
        except Exception as error:
            ended = " ".join((type(error).__name__, *_code(getattr(error, "orig", None))))
        self._longest[self.phase] = max(self._longest.get(self.phase, 0.0), time.perf_counter() - begun)
        if ended in DONE:
            self._processed += ended == "PROCESSED"
            self._taken[number, consumer] += 1
        else:
            self._failures.setdefault(self.phase, Counter())[ended] += 1
            self._waiting.append((time.time() + min(0.5, RETRY * (tries + 1)), tries + 1, delivery))


def _do_not_sync(connection: Any, _: object) -> None:
    # The machine does not lose its power here, and what waits for its disk delivers little.
    connection.execute("PRAGMA synchronous = OFF")


def _code(error: Any) -> tuple[str, ...]:
    """What a driver's error is called by its server, if it is one."""
    found = getattr(error, "sqlstate", None) or getattr(error, "sqlite_errorname", None)
    return (str(found or error.args[0]),) if error else ()


def run(pipe: Connection, job: dict[str, Any]) -> None:
    """Run a replica: `job` says which, each order comes through the pipe, and so does the report at the end."""
    replica = Replica(job)
    pipe.send("ready")
    stopped = False
    while not (stopped or replica.is_through):
        if pipe.poll():
            order = pipe.recv()
            stopped = order.get("stop", False)
            replica.obey(order)
        else:
            replica.step()
    pipe.send(replica.report())
