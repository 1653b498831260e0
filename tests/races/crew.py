"""The test's side of the instances: start them, tell them, hear them, see whether one is blocked."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from queue import Empty, Queue
from threading import Thread
from typing import Any

from tests.generated import ROOT, environment

PATIENCE = 30  # seconds


class Instance:
    """A process that runs `tests.races.instance`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.races.instance"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment(),
        )
        self._events: Queue[dict[str, Any]] = Queue()
        Thread(target=self._listen, daemon=True).start()
        self._ended: dict[str, Any] | None = None
        self.busy = False
        self.ready = False

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._events.put(json.loads(line))
        self._events.put({"event": "gone"})

    def deliver(self, job: dict[str, Any]) -> None:
        if not self.ready:
            self.hear("ready")
            self.ready = True
        self.busy, self._ended = True, None
        self._send(json.dumps(job))

    def go_on(self, how: str = "commit") -> None:
        """End the hold: `how` is "commit" or "raise"."""
        self._send(how)

    def _send(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def hear(self, *events: str) -> dict[str, Any]:
        """Wait for one of the events, passing over others; the end of a delivery is heard again until the next."""
        until = time.monotonic() + PATIENCE
        passed: list[dict[str, Any]] = []
        while (left := until - time.monotonic()) > 0 and not (passed and passed[-1]["event"] in ("gone", "ended")):
            try:
                heard = self._ended or self._events.get(timeout=left)
            except Empty:
                break
            if heard["event"] == "ended":
                self.busy, self._ended = False, heard
            if heard["event"] in events:
                return heard
            passed.append(heard)
        raise AssertionError(f"no {' or '.join(events)}; heard {passed}")

    def has(self, event: str) -> bool:
        """Whether an event waits to be heard."""
        with self._events.mutex:
            return any(heard["event"] == event for heard in self._events.queue)

    def end(self) -> str:
        """Wait for the end of the delivery: its outcome, or the verdict on its error after the error's name."""
        ended = self.hear("ended")
        return str(ended.get("outcome") or f"{ended['error']} {ended['verdict']}")

    def kill(self) -> None:
        """SIGKILL: nothing is rolled back by the process itself."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            pipe.close()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None


class Crew:
    """Instances that many tests use in turn: to start one takes longer than most races."""

    def __init__(self) -> None:
        self._members: list[Instance] = []

    def take(self, count: int) -> list[Instance]:
        """Idle instances; those that a test killed or left busy are replaced."""
        for member in self._members:
            if member.busy and member.is_alive:
                member.kill()
        self._members = [member for member in self._members if member.is_alive]
        while len(self._members) < count:
            self._members.append(Instance())
        return self._members[:count]

    def dismiss(self) -> None:
        for member in self._members:
            if member.is_alive:
                member.kill()
