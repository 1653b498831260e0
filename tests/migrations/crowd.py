"""The test's side of the replicas: start them, order them about, and add up what they saw."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.migrations.cases import Case
from tests.migrations.databases import Database
from tests.migrations.processes import Child
from tests.migrations.repositories import Release
from tests.migrations.writer import WINDOW, Delivery, Report, run

PATIENCE = 60  # seconds
HANDOVER = 3  # seconds until what an old replica cannot take goes to another one


@dataclass
class Sum:
    """What replicas saw together: failures by release and phase, the longest delivery in seconds by phase."""

    taken: Counter[Delivery] = field(default_factory=Counter)
    processed: int = 0
    failures: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    unfinished: list[Delivery] = field(default_factory=list)

    def add(self, found: Report) -> None:
        """Add the report of one replica."""
        self.taken.update(found.taken)
        self.processed += found.processed
        for phase, failures in found.failures.items():
            self.failures.setdefault((found.release, phase), Counter()).update(failures)
        for phase, seconds in found.longest.items():
            self.longest[phase] = max(seconds, self.longest.get(phase, 0.0))
        self.unfinished += found.unfinished


class Crowd:
    """Replicas that take the same messages at the same time, and what those that have stopped saw."""

    def __init__(self, case: Case, database: Database, seeded: int) -> None:
        self._common = {
            "url": database.runtime.render_as_string(hide_password=False),
            "options": database.options,
            "values": dict(case.values),
            "seeded": seeded,
        }
        self._launched = 0
        self._start = 0.0
        self.replicas: list[Child] = []
        self.sum = Sum()

    @property
    def window(self) -> int:
        """The window of now."""
        return max(0, int((time.time() - self._start) / WINDOW))

    def launch(self, release: Release, calls: Mapping[str, str], count: int = 2) -> list[Child]:
        """Start replicas of a release; they connect, and wait for `begin`."""
        numbers = range(self._launched, self._launched + count)
        self._launched += count
        mine = {"folder": str(release.folder), "release": release.folder.name, "calls": dict(calls)}
        return [Child(run, {**self._common, **mine, "number": number}) for number in numbers]

    def begin(self, replicas: list[Child], phase: str) -> None:
        """Let replicas take messages from now on."""
        for replica in replicas:
            assert replica.hear() == "ready"
        self._start = self._start or time.time()
        for replica in replicas:
            replica.pipe.send({"start": self._start, "first": self.window, "phase": phase})
        self.replicas += replicas

    def order(self, **order: Any) -> None:
        """Tell every replica."""
        for replica in self.replicas:
            replica.pipe.send(order)

    def finish(self, replicas: Iterable[Child], patience: float = PATIENCE) -> None:
        """Let replicas take what is open by now, and end; what they could not acknowledge goes to those that stay."""
        ending = list(replicas)
        last = self.window + 1
        for replica in ending:
            replica.pipe.send({"last": last})
        until = time.monotonic() + patience
        for replica in ending:
            try:
                found = replica.hear(max(0.0, until - time.monotonic()))
            except TimeoutError:
                replica.pipe.send({"stop": True})
                found = replica.hear()
            self.sum.add(found)
            replica.end()
            self.replicas.remove(replica)
        if self.replicas:
            self.replicas[0].pipe.send({"take": self.sum.unfinished})
            self.sum.unfinished = []

    def dismiss(self) -> None:
        """Kill what is left."""
        for replica in self.replicas:
            replica.end()
