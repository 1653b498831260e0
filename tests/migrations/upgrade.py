"""A case on a database, as it is deployed: old and new replicas at work before, during and after each revision."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

from tests.migrations.cases import Case
from tests.migrations.crowd import HANDOVER, PATIENCE, Crowd, Sum
from tests.migrations.databases import Database
from tests.migrations.processes import alembic, call
from tests.migrations.repositories import Release, Repository
from tests.migrations.seed import seed

PAUSE = 0.4  # seconds between two moments of a deployment
EFFECTS = "SELECT message, consumer, COUNT(*) FROM effect GROUP BY message, consumer"
TRIES = 5  # of a revision that could not have its lock


@dataclass
class Result:
    """What became of a case on a database."""

    case: str
    engine: str
    rows: int
    sum: Sum
    twice: list[tuple[int, str]] = field(default_factory=list)
    lost: list[tuple[int, str]] = field(default_factory=list)
    migrated: list[float] = field(default_factory=list)

    @property
    def longest(self) -> int:
        """The longest wait of a replica while a revision ran, or after it, in milliseconds."""
        return round(1000 * max((value for phase, value in self.sum.longest.items() if phase != "before"), default=0))

    def redelivered(self, *, old: bool) -> str:
        """What old or new code did not acknowledge since the first revision began, by its reason."""
        failures = self.sum.failures.items()
        later = [found for (who, phase), found in failures if (who == "old") == old and phase != "before"]
        reasons: Counter[str] = sum(later, Counter())
        return ", ".join(f"{count} {name}" for name, count in sorted(reasons.items())) or "0"

    def row(self) -> str:
        """A line of the table."""
        seconds = " + ".join(f"{value:.1f}" for value in self.migrated) or "-"
        return (
            f"| {self.case} | {self.engine} | {self.rows:,} | {seconds} | {self.longest} "
            f"| {self.redelivered(old=True)} | {self.redelivered(old=False)} "
            f"| {len(self.twice)} | {len(self.lost)} |"
        )


HEAD = (
    "| change | engine | rows | revisions (s) | longest wait (ms) | redeliveries, old code | redeliveries, new code "
    "| applied twice | lost |\n"
    "|---|---|---|---|---|---|---|---|---|"
)


def deploy(case: Case, repository: Repository, database: Database, rows: int, pause: float = PAUSE) -> Result:
    """Lead the database through the releases of `case`, with `rows` markers in it, while four replicas deliver.

    Raises AssertionError where a revision fails for good, or a message is never acknowledged.
    """
    consumers = sorted(set(case.old_calls.values()))
    per_consumer = rows // len(consumers)
    prepare(case, repository.old, database, per_consumer, consumers)
    crowd = Crowd(case, database, per_consumer)
    # What old replicas cannot take goes to new ones, if these take such messages at all.
    patience = HANDOVER if set(consumers) <= set(case.new_calls.values()) else PATIENCE
    result = Result(case.name, database.engine, rows, crowd.sum)
    try:
        # The replicas of two releases at a time, the older one first.
        running = [crowd.launch(repository.old, case.old_calls), crowd.launch(repository.new, case.new_calls)]
        crowd.begin(running[0] + running[1], "before")
        time.sleep(pause)
        earlier = crowd.window
        for number, (before, release) in enumerate(pairwise(repository.releases), 1):
            if number > 1:
                running.append(crowd.launch(release, case.new_calls))
                crowd.begin(running[-1], "next release")
                crowd.finish(running.pop(0), patience)
            renames = case.table(number) != case.table(number - 1)
            if renames and database.engine in case.stop_first:
                crowd.finish(running[0])
                running[0] = []
            crowd.order(phase="revision")
            if release.head != before.head:
                result.migrated.append(_upgrade(release, database, f"-x settle_inbox={case.table(number)} "))
            if renames and case.table(number) not in case.tables[:number]:
                database.grant(case.table(number))
            crowd.order(phase="after it", again=[0, earlier])
            time.sleep(pause)
        crowd.finish(running[0], patience)
        crowd.finish(crowd.replicas)
    finally:
        crowd.dismiss()
    count(result, database)
    return result


def prepare(case: Case, old: Release, database: Database, rows: int, consumers: list[str]) -> None:
    """The old schema of `case`, the runtime's rights, and `rows` messages that each of the consumers has taken."""
    if case.first:
        database.run(case.first)
    run_alembic(old, database, f"upgrade {old.head}")
    database.make_effect()
    database.grant(case.table(0))
    call(seed, str(old.folder), database.url, rows, consumers, dict(case.values))


def run_alembic(release: Release, database: Database, *commands: str) -> str:
    """Run commands of Alembic in one process as the release's owner would, which must succeed; returns their output."""
    status, output = alembic(release.folder, database.url, *commands)
    assert status == 0, output
    return output


def _upgrade(release: Release, database: Database, options: str = "") -> float:
    """Seconds until the revision is through; one that waits too long for its lock is run again, as it says."""
    begun = time.perf_counter()
    for _ in range(TRIES):
        status, output = alembic(release.folder, database.url, f"{options}upgrade {release.head}")
        if status == 0:
            return time.perf_counter() - begun
    raise AssertionError(output)


def count(result: Result, database: Database) -> None:
    """Look at the effects: what is there twice, and what was acknowledged and is not there."""
    effects = Counter({(number, consumer): count for number, consumer, count in database.rows(EFFECTS)})
    result.twice = sorted(each for each, count in effects.items() if count > 1)
    result.lost = sorted(each for each in result.sum.taken if not effects[each])


def there_and_back(case: Case, repository: Repository, database: Database) -> None:
    """After the last revision: Alembic sees no difference, nor after the way back, and the way there again."""
    old, last = repository.old, repository.last
    database.run("DROP TABLE effect")  # the repository's models do not know it
    asked = f"-x drop_inbox={case.table(0)} -x settle_inbox={case.tables[-1]}"
    run_alembic(last, database, "check", f"downgrade {old.head}")
    run_alembic(old, database, "check")
    run_alembic(
        last, database, f"{asked} upgrade head", "check", f"{asked} downgrade base", f"{asked} upgrade head", "check"
    )
