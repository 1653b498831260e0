"""One replica of a consumer, a process of its own: takes deliveries from a queue of its own until each is acknowledged.

Its first line of input says what to run; each later one is an order. Messages come in windows of time, the same ones to
every replica at the same moment, in an order of each one's own.
"""

from __future__ import annotations

import importlib
import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

WINDOW = 0.1  # seconds
MESSAGES = 8  # new ones in a window, besides one that was taken before the replica began
DONE = ("PROCESSED", "DUPLICATE")
RETRY = 0.05  # seconds, more after each failure

Delivery = tuple[int, str]


class Replica:
    """The state of one process: what is still to be delivered, and what came of what was."""

    def __init__(self, job: dict[str, Any]) -> None:
        sys.path.insert(0, job["folder"])
        self._package = importlib.import_module("orders_inbox")
        engine = create_engine(job["url"], pool_size=1, max_overflow=0, **job["options"])
        engine.connect().close()
        self._sessions = sessionmaker(engine)
        self._calls: dict[str, str] = job["calls"]
        self._values: dict[str, str] = job["values"]
        self._seeded: int = job["seeded"]
        self._start: float = job["start"]
        self._random = random.Random(job["number"])
        self._window: int = job["first"]
        self._last: int | None = None
        self._waiting: list[tuple[float, int, Delivery]] = []
        self.phase = "before"
        self.acknowledged: Counter[str] = Counter()
        self.taken: dict[str, list[int]] = defaultdict(list)
        self.failures: dict[str, Counter[str]] = defaultdict(Counter)
        self.longest: dict[str, float] = defaultdict(float)

    def obey(self, order: dict[str, Any]) -> None:
        """`phase` names what comes now, `last` is the last window to take, `again` is a range of windows to repeat."""
        self.phase = order.get("phase", self.phase)
        self._last = order.get("last", self._last)
        if "again" in order:
            self._add(range(*order["again"]))

    @property
    def window(self) -> int:
        """The window that it takes next."""
        return self._window

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

    def unfinished(self) -> list[Delivery]:
        """What was never acknowledged."""
        return [delivery for _, _, delivery in self._waiting]

    def _add(self, windows: Any) -> None:
        for window in windows:
            new = [self._seeded + window * MESSAGES + each for each in range(MESSAGES)]
            for number in (*new, window % self._seeded):
                self._waiting += [(0.0, 0, (number, name)) for name in self._calls]

    def _deliver(self, tries: int, delivery: Delivery) -> None:
        number, name = delivery
        consumer = self._calls[name]
        values = {field: text.format(n=number, third=number % 3) for field, text in self._values.items()}
        key = self._package.MessageKey(**{name: values[name] for name in self._fields()})
        consume: Callable[..., Any] = getattr(self._package, f"consume_{name}")
        begun = time.perf_counter()
        try:
            ended = consume(self._sessions, key, {"message": number, "consumer": consumer}).outcome.name
        except Exception as error:
            cause = getattr(error, "orig", None)
            ended = f"{type(error).__name__}({type(cause).__name__})" if cause else type(error).__name__
        self.longest[self.phase] = max(self.longest[self.phase], time.perf_counter() - begun)
        if ended in DONE:
            self.acknowledged[ended] += 1
            self.taken[consumer].append(number)
        else:
            self.failures[self.phase][ended] += 1
            self._waiting.append((time.time() + min(0.5, RETRY * (tries + 1)), tries + 1, delivery))

    def _fields(self) -> Iterator[str]:
        yield from self._package.MessageKey.__dataclass_fields__


def main() -> None:
    job = json.loads(sys.stdin.readline())
    orders: SimpleQueue[dict[str, Any]] = SimpleQueue()
    Thread(target=lambda: [orders.put(json.loads(line)) for line in sys.stdin], daemon=True).start()
    replica = Replica(job)
    print(json.dumps({"event": "ready"}), flush=True)
    stopped = False
    while not (stopped or replica.is_through):
        try:
            order = orders.get_nowait()
            stopped = order.get("stop", False)
            replica.obey(order)
        except Empty:
            replica.step()
    found = {
        "event": "done",
        "unfinished": replica.unfinished(),
        "acknowledged": replica.acknowledged,
        "taken": replica.taken,
        "failures": replica.failures,
        "longest": replica.longest,
        "window": replica.window,
    }
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
