"""`inboxgen new` and `check` for inboxes of many consumers, each a new process: the time must grow no faster than they.

Run: python -m tests.benchmarks.scale [runs]
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.cold_start import INBOXGEN, seconds

CONSUMERS = (1, 100, 1_000)
WAYS = (
    ("new, nothing there", ("new", "orders.yaml", "--init-alembic")),
    ("new, one consumer more", ("new", "orders.yaml")),
    ("check, all equal", ("check", "orders.yaml")),
)


def write_spec(folder: Path, consumers: int) -> None:
    """A spec of as many consumers on all five dialects."""
    names = ", ".join(f"consumer-{number}" for number in range(consumers))
    text = f"inbox: orders\ndialects: [postgresql, mssql, sqlite, mysql, mariadb]\nconsumers: [{names}]\n"
    (folder / "orders.yaml").write_text(text, encoding="utf-8")


def measure(consumers: int) -> tuple[float, ...]:
    """The seconds of each way, in order."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        taken = []
        for more, (_, arguments) in zip((0, 1, 1), WAYS, strict=True):
            write_spec(folder, consumers + more)
            taken.append(seconds((*INBOXGEN, *arguments), folder))
        return tuple(taken)


def main(runs: int = 3) -> None:
    """Print a table of median seconds; the last column is what a consumer costs, from the fewest to the most."""
    print(f"{runs} runs; seconds, wall time of the whole process")
    print(f"{'consumers':<26}{''.join(f'{count:>10,}' for count in CONSUMERS)}{'ms each':>10}")
    found = [[measure(count) for _ in range(runs)] for count in CONSUMERS]
    for number, (name, _) in enumerate(WAYS):
        middle = [median(run[number] for run in of_count) for of_count in found]
        each = 1000 * (middle[-1] - middle[0]) / (CONSUMERS[-1] - CONSUMERS[0])
        print(f"{name:<26}{''.join(f'{value:>10.2f}' for value in middle)}{each:>10.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
