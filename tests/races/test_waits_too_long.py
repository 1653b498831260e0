"""An instance waits for another longer than its connection allows: IN_PROGRESS, and it works at the next delivery."""

from __future__ import annotations

from typing import Any

import pytest

from tests.races.conftest import Race

IMPATIENT: dict[str, dict[str, Any]] = {
    "postgresql": {"connect_args": {"options": "-c lock_timeout=200"}},
    "mariadb": {"connect_args": {"init_command": "SET SESSION innodb_lock_wait_timeout = 1"}},
    "sqlite": {"connect_args": {"timeout": 0.2}},
}


@pytest.mark.parametrize("how", ["commit", "raise"])
def test_one_that_waited_too_long_is_told_to_come_back(default_race: Race, how: str) -> None:
    race = default_race
    winner, loser = race.crew.take(2)
    winner.deliver(race.job(hold=True))
    winner.hear("holding")
    impatient = {"options": race.options | IMPATIENT[race.on]}
    assert race.deliver(loser, **impatient) == "IN_PROGRESS"
    assert (race.credits, race.markers) == (0, 0)
    winner.go_on(how)
    winner.hear("ended")
    assert race.deliver(loser, **impatient) == ("DUPLICATE" if how == "commit" else "PROCESSED")
    assert (race.credits, race.markers) == (1, 1)
