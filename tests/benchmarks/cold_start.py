"""Cold starts of the command line against the work that a user would compare them with, each a new process.

Run: python -m tests.benchmarks.cold_start [runs]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
SPEC = ROOT / "examples" / "orders.yaml"
INBOXGEN = ("-m", "inboxgen")


def seconds(arguments: tuple[str, ...], folder: Path) -> float:
    """Wall seconds of one Python process; raises CalledProcessError if it fails."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "DATABASE_URL": f"sqlite:///{folder / 'bench.db'}"}
    # A checkout is compiled once, by the run that is not counted, as pip compiles what it installs.
    environment["PYTHONDONTWRITEBYTECODE"] = ""
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def emptied(folder: Path) -> None:
    """A folder with nothing but the spec."""
    for path in folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    shutil.copy(SPEC, folder)


def generated(folder: Path) -> None:
    """A folder in which everything is up to date."""
    if not (folder / "orders.lock").exists():
        emptied(folder)
        seconds((*INBOXGEN, "new", SPEC.name, "--init-alembic"), folder)


def with_migrated_database(folder: Path) -> None:
    """As `generated`, with the database migrated: what autogenerate compares with."""
    generated(folder)
    if not (folder / "bench.db").exists():
        seconds(("-m", "alembic", "upgrade", "head"), folder)


Way = tuple[str, tuple[str, ...], Callable[[Path], None]]
AUTOGENERATE = ("-m", "alembic", "revision", "--autogenerate", "-m", "x")
IMPORT_YAML: Way = ("import yaml", ("-c", "import yaml"), generated)
PAIRS: tuple[tuple[Way, Way], ...] = (
    (
        ("new, five dialects", (*INBOXGEN, "new", SPEC.name, "--init-alembic"), emptied),
        ("alembic revision --autogenerate", AUTOGENERATE, with_migrated_database),
    ),
    (("--help", (*INBOXGEN, "--help"), generated), IMPORT_YAML),
    (("check, all equal", (*INBOXGEN, "check", SPEC.name), generated), IMPORT_YAML),
)


def main(runs: int = 7) -> None:
    """Print a table: ours, theirs, and the ratio of each pair of neighbouring runs as least, median, greatest."""
    print(f"{runs} runs in turn, one not counted before; wall time of the whole process")
    print(f"{'ours':<22}{'ms':>6}  {'against':<34}{'ms':>6}{'least':>8}{'median':>8}{'greatest':>10}")
    with TemporaryDirectory() as first, TemporaryDirectory() as second:
        folders = Path(first), Path(second)
        for pair in PAIRS:
            taken: list[tuple[float, ...]] = []
            for _ in range(runs + 1):
                both = []
                for (_name, arguments, prepare), folder in zip(pair, folders, strict=True):
                    prepare(folder)
                    both.append(seconds(arguments, folder))
                    for made in folder.glob("migrations/versions/*_x.py"):
                        made.unlink()
                taken.append(tuple(both))
            ours, theirs = zip(*taken[1:], strict=True)
            found = [mine / other for mine, other in taken[1:]]
            print(
                f"{pair[0][0]:<22}{median(ours) * 1000:>6.0f}  {pair[1][0]:<34}{median(theirs) * 1000:>6.0f}"
                f"{min(found):>8.2f}{median(found):>8.2f}{max(found):>10.2f}"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
