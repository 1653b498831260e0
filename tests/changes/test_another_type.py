"""A key column of another type, in the two changes that R608 names: the new one comes and is settled, the old goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.changes.repositories import ROWS, Repository, count, execute, fill
from tests.changes.test_upgrade import DRIVERS, ROUND, SILENT, up

SPEC = "inbox: orders\ndialects: [postgresql, sqlite, mariadb]\nkey: {key}\nconsumers: [credit, email]\n"
TYPES = {"bigint": "string(40)", "string(40)": "uuid", "uuid": "bigint"}
BACKFILL = {"string(40)": "none", "uuid": "00000000-0000-0000-0000-000000000000", "bigint": "-1"}


@pytest.mark.parametrize("engine", DRIVERS)
@pytest.mark.parametrize("before", TYPES)
def test_it_is_added_and_the_old_one_goes(
    before: str, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    after = TYPES[before]
    keys = (
        f"{{message_id: {before}}}",
        f"{{message_id: {before}, event_id: {{type: {after}, backfill: '{BACKFILL[after]}'}}}}",
        f"{{event_id: {after}}}",
    )
    repository = Repository(tmp_path)
    assert repository.new(SPEC.replace("{key}", keys[0]), "--init-alembic").code == 0
    up(repository, url, "upgrade head")
    fill(url, repository.inbox())
    at_once = repository.new(SPEC.replace("{key}", f"{{message_id: {after}}}"))
    assert (at_once.code, "R608" in at_once.said) == (3, True)
    made = repository.new(SPEC.replace("{key}", keys[1]))
    assert made.code == 0, made.said
    assert repository.new(SPEC.replace("{key}", keys[1]), "--settled").code == 0
    assert up(repository, url, "-x settle_inbox=inbox upgrade head", "check").count(SILENT) == 1
    assert repository.new(SPEC.replace("{key}", keys[2])).code == 0
    # What the old code has taken has the backfill alone; its messages cannot come again by now.
    assert "more than one marker" in repository.alembic(url, "upgrade head").stderr
    execute(url, "DELETE FROM inbox")
    assert up(repository, url, "upgrade head", "check").count(SILENT) == 1
    assert repository.new(SPEC.replace("{key}", keys[2]), "--settled").code == 0
    assert up(repository, url, *ROUND).count(SILENT) == 2
    fill(url, repository.inbox())
    assert count(url, "inbox") == ROWS
