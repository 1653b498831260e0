"""A revision that dies anywhere can be run again, and a duplicate was refused all the while."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import missing
from tests.migrations.cases import CASES, PAIRS
from tests.migrations.databases import database
from tests.migrations.killed import kill_everywhere
from tests.migrations.repositories import repository
from tests.servers import NoServer

CHANGED = [(name, engine) for name, engine in PAIRS if not name.startswith("consumer")]


@pytest.mark.parametrize(("name", "engine"), CHANGED, ids=str)
def test_run_again_after_a_death_anywhere(name: str, engine: str, tmp_path: Path) -> None:
    case = CASES[name]
    try:
        with database(engine, tmp_path) as where:
            for death in kill_everywhere(case, repository(case), where):
                assert not death.accepted, death
    except NoServer as error:
        missing(str(error))
