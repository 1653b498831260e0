"""Each change under four replicas, two of the old release and two of the new one: nothing twice, nothing lost.

On few rows here; `python -m tests.migrations.matrix` does the same on many, and there and back.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import missing
from tests.migrations.cases import CASES, PAIRS
from tests.migrations.databases import database
from tests.migrations.repositories import repository
from tests.migrations.upgrade import deploy
from tests.servers import NoServer

ROWS = 2_000
PAUSE = 0.1  # seconds between two moments; the matrix has longer ones, and so more messages


@pytest.mark.parametrize(("name", "engine"), PAIRS, ids=str)
def test_nothing_twice_and_nothing_lost(name: str, engine: str, tmp_path: Path) -> None:
    case = CASES[name]
    releases = repository(name)
    try:
        with database(engine, tmp_path) as where:
            result = deploy(case, releases, where, ROWS, PAUSE)
            print(result.row())
            assert not result.twice
            assert not result.lost
            assert not result.sum.unfinished
            assert result.sum.processed
    except NoServer as error:
        missing(str(error))
