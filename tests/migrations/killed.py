"""A revision whose process dies after each of its statements in turn, and is run again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, pairwise, product

from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tests.migrations.cases import OWN_COLUMNS, Case
from tests.migrations.databases import Database
from tests.migrations.processes import alembic
from tests.migrations.repositories import Release, Repository
from tests.migrations.upgrade import prepare, run_alembic

MARKERS = 20  # of each consumer
KILLED = -9


@dataclass(frozen=True)
class Killed:
    """One death: after how many statements of which revision, and the ways in which a duplicate then got in."""

    revision: str
    statements: int
    accepted: tuple[str, ...]


def kill_everywhere(case: Case, repository: Repository, database: Database) -> Iterator[Killed]:
    """Run each revision of the case, killed after its first statement, its second, and so on; each time to its end.

    Raises AssertionError where a revision cannot be run again, or ends in another schema than Alembic expects.
    """
    consumers = sorted(set(case.old_calls.values()))
    prepare(case, repository.old, database, MARKERS, consumers)
    markers = MARKERS * len(consumers)
    for number, (before, after) in enumerate(pairwise(repository.releases)):
        if after.head != before.head:
            yield from _kill(case, before, after, database, case.table(number), markers)


def _kill(
    case: Case, before: Release, after: Release, database: Database, table: str, markers: int
) -> Iterator[Killed]:
    asked = f"-x settle_inbox={case.tables[-1]}"
    # The business table is not in the models, and so in nobody's way here.
    database.run("DROP TABLE IF EXISTS effect")
    for statements in count(1):
        status, output = alembic(after.folder, database.url, f"{asked} upgrade {after.head}", dies_after=statements)
        if status != KILLED:
            assert status == 0, output
            break
        found = Killed(after.head, statements, tuple(accepted(case, database)))
        back = f"downgrade {before.head}"
        run_alembic(after, database, f"{asked} upgrade {after.head}", "check", back)
        assert database.rows(f"SELECT COUNT(*) FROM {table}") == [(markers,)]
        yield found


def accepted(case: Case, database: Database) -> Iterator[str]:
    """The tables that take a marker once more which they have, by the columns that old or new replicas know."""
    keys = {tuple(name for name in case.values if f"{name}:" in text) for text in (case.before, case.after)}
    for table in sorted(set(case.tables)):
        for key, own in product(sorted(keys), sorted({OWN_COLUMNS, case.own_columns})):
            if _takes_a_duplicate(database, table, (*key, *own)):
                yield f"{table} by {', '.join((*key, own[0]))}"


def _takes_a_duplicate(database: Database, table: str, columns: tuple[str, ...]) -> bool:
    names = ", ".join(columns)
    engine = create_engine(database.owner, poolclass=NullPool)
    with engine.connect() as connection:
        try:
            done = connection.execute(text(f"INSERT INTO {table} ({names}) SELECT {names} FROM {table} WHERE id = 1"))
        except DBAPIError:
            return False
        assert done.rowcount == 1
        connection.rollback()
        return True
