"""The SQL that Alembic writes for a DBA does what its own run does, and there is some for every dialect."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import missing
from tests.migrations.cases import CASES, CHANGED
from tests.migrations.databases import database
from tests.migrations.offline import DIALECTS, first_sql, offline_sql, statements
from tests.migrations.repositories import repository
from tests.migrations.upgrade import run_alembic
from tests.servers import NoServer


@pytest.mark.parametrize(("name", "engine"), CHANGED, ids=str)
def test_ends_in_the_same_schema(name: str, engine: str, tmp_path: Path) -> None:
    releases = repository(name)
    try:
        with database(engine, tmp_path) as where:
            if first := CASES[name].first:
                where.run(first)
            where.send(statements(first_sql(releases, engine)))
            where.send(statements(offline_sql(releases, engine)))
            run_alembic(releases.last, where, "check")
    except NoServer as error:
        missing(str(error))


@pytest.mark.parametrize("name", dict(CHANGED))
def test_every_dialect_is_led_on(name: str) -> None:
    releases = repository(name)
    for dialect in DIALECTS:
        assert releases.last.head in offline_sql(releases, dialect)
