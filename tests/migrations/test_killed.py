"""A revision that dies anywhere can be run again, and a duplicate was refused all the while."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import missing
from tests.migrations.cases import CASES, CHANGED
from tests.migrations.databases import database
from tests.migrations.killed import kill_everywhere
from tests.migrations.repositories import repository
from tests.servers import NoServer

# A revision is one transaction on SQLite; all the rest is in `tests.migrations.matrix`.
SOME = [pair for pair in CHANGED if pair[1] != "sqlite" and pair[0] in ("remove_key_column", "rename_table")]


@pytest.mark.parametrize(("name", "engine"), SOME, ids=str)
def test_run_again_after_a_death_anywhere(name: str, engine: str, tmp_path: Path) -> None:
    case = CASES[name]
    try:
        with database(engine, tmp_path) as where:
            deaths = list(kill_everywhere(case, repository(name), where))
            assert deaths
            assert not [death for death in deaths if death.accepted]
    except NoServer as error:
        missing(str(error))
