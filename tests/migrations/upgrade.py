"""A case on a database, as it is deployed: old and new replicas at work before, during and after each revision."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from sqlalchemy import create_engine, insert, text
from sqlalchemy.pool import NullPool

from tests.alembic.projects import Ran, alembic, run_python
from tests.migrations.cases import Case
from tests.migrations.crowd import Crowd, Sum
from tests.migrations.databases import Database
from tests.migrations.repositories import Release, Repository

SEED = """
import sys
from sqlalchemy import create_engine, func, insert
from orders_inbox.models import Marker
from orders_inbox import MessageKey
url, rows, third, consumers, template = sys.argv[1], int(sys.argv[2]), 3, sys.argv[4].split(","), eval(sys.argv[3])
fields = list(MessageKey.__dataclass_fields__)
table = Marker.__table__
engine = create_engine(url)
names = [c.name for c in table.columns]
def row(n, consumer):
    values = {f: template[f].format(n=n, third=n % 3) for f in fields}
    return {**MessageKey(**values).columns(), "consumer": consumer}
with engine.begin() as connection:
    for consumer in consumers:
        for first in range(0, rows, 5000):
            connection.execute(
                insert(table).values(received_at=func.current_timestamp(), processed_at=func.current_timestamp()).inline(),
                [row(n, consumer) for n in range(first, min(first + 5000, rows))],
            )
"""


@dataclass
class Result:
    """What became of a case on a database."""

    case: str
    engine: str
    rows: int
    sum: Sum
    twice: list[tuple[int, str]] = field(default_factory=list)
    lost: list[tuple[int, str]] = field(default_factory=list)
    migrated: dict[str, float] = field(default_factory=dict)

    @property
    def longest(self) -> int:
        """The longest wait of a replica while a revision ran, or after it, in milliseconds."""
        return round(1000 * max((value for phase, value in self.sum.longest.items() if phase != "before"), default=0))

    @property
    def redelivered(self) -> Counter[str]:
        """Redeliveries since the first revision began, by their reason."""
        later = [found for phase, found in self.sum.failures.items() if phase != "before"]
        return sum(later, Counter())

    def row(self) -> str:
        """A line of the table."""
        reasons = ", ".join(f"{count} {name}" for name, count in sorted(self.redelivered.items())) or "0"
        seconds = " + ".join(f"{value:.1f}" for value in self.migrated.values()) or "-"
        return (
            f"| {self.case} | {self.engine} | {self.rows:,} | {seconds} | {self.longest} | {reasons} "
            f"| {len(self.twice)} | {len(self.lost)} |"
        )


HEAD = (
    "| change | engine | rows | revisions (s) | longest wait (ms) | redeliveries | applied twice | lost |\n"
    "|---|---|---|---|---|---|---|---|"
)
