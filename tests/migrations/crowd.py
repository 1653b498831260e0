"""The test's side of the replicas: start them, order them about, and add up what they saw."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

from tests.generated import ROOT
from tests.migrations.cases import Case
from tests.migrations.databases import Database
from tests.migrations.writer import WINDOW

PATIENCE = 60  # seconds


@dataclass
class Sum:
    """What replicas saw together; a wait is in seconds, of one delivery, by the phase in which it ended."""

    taken: Counter[tuple[int, str]] = field(default_factory=Counter)
    processed: int = 0
    failures: dict[str, Counter[str]] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    unfinished: list[tuple[int, str]] = field(default_factory=list)

    def add(self, found: dict[str, Any]) -> None:
        """Add the report of one replica."""
        for consumer, numbers in found["taken"].items():
            self.taken.update((number, consumer) for number in numbers)
        self.processed += found["acknowledged"].get("PROCESSED", 0)
        for phase, failures in found["failures"].items():
            self.failures.setdefault(phase, Counter()).update(failures)
        for phase, seconds in found["longest"].items():
            self.longest[phase] = max(seconds, self.longest.get(phase, 0.0))
        self.unfinished += [(number, consumer) for number, consumer in found["unfinished"]]


class Replica:
    """A process that runs `tests.migrations.writer`."""

    def __init__(self, job: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.migrations.writer"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self._heard: Queue[dict[str, Any]] = Queue()
        Thread(target=self._listen, daemon=True).start()
        self.order(job)

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._heard.put(json.loads(line))
        self._heard.put({"event": "gone"})

    def order(self, order: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def hear(self, event: str, patience: float = PATIENCE) -> dict[str, Any]:
        """Wait for an event; raises Empty when patience (seconds) is over."""
        heard = self._heard.get(timeout=patience)
        assert heard["event"] == event, heard
        return heard

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()


class Crowd:
    """Replicas that take the same messages at the same time, and what those that have stopped saw."""

    def __init__(self, case: Case, database: Database, seeded: int) -> None:
        self._common = {
            "url": database.runtime.render_as_string(hide_password=False),
            "options": database.options,
            "values": dict(case.values),
            "seeded": seeded,
            "start": time.time() + 0.5,
        }
        self._started = 0
        self.replicas: list[Replica] = []
        self.sum = Sum()

    @property
    def window(self) -> int:
        """The window of now."""
        return max(0, int((time.time() - self._common["start"]) / WINDOW))

    def start(self, folder: Path, calls: dict[str, str], count: int = 2, phase: str = "before") -> list[Replica]:
        """Start replicas that run the package in `folder`."""
        made = []
        for _ in range(count):
            self._started += 1
            mine = {"folder": str(folder), "calls": calls, "number": self._started, "first": self.window}
            made.append(Replica({**self._common, **mine}))
        for replica in made:
            replica.hear("ready")
            replica.order({"phase": phase})
        self.replicas += made
        return made

    def order(self, **order: Any) -> None:
        """Tell every replica."""
        for replica in self.replicas:
            replica.order(order)

    def finish(self, replicas: Iterable[Replica], patience: float = PATIENCE) -> int:
        """Let replicas take what is open by now and end; returns their last window. What they leave is in the sum."""
        ending = list(replicas)
        last = self.window + 1
        for replica in ending:
            replica.order({"last": last})
        for replica in ending:
            try:
                found = replica.hear("done", patience)
            except Empty:
                replica.order({"stop": True})
                found = replica.hear("done", PATIENCE)
            self.sum.add(found)
            replica.kill()
            self.replicas.remove(replica)
        return last

    def dismiss(self) -> None:
        """Kill what is left."""
        for replica in self.replicas:
            replica.kill()
