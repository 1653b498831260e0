"""Each rule of the runtime about others at work is taken out once, by its text, and the race ends badly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.generated import Change, generated
from tests.races.conftest import Race
from tests.races.test_waits_too_long import IMPATIENT
from tests.races.test_winner_fails import two_fail


def winner_commits(race: Race) -> str:
    winner, (loser,) = race.start(1)
    winner.go_on()
    assert winner.end() == "PROCESSED"
    return loser.end()


def waits_too_long(race: Race) -> str:
    winner, loser = race.crew.take(2)
    winner.deliver(race.job(hold=True))
    winner.hear("holding")
    said = race.deliver(loser, options=race.options | IMPATIENT[race.on])
    winner.go_on()
    winner.end()
    return said


UNCOMMITTED = Change("statements", ".with_for_update(read=True)", "")
NO_ONCE_MORE = Change("runtime", "for _ in range(2):", "for _ in range(1):")
NO_RETRY = Change("runtime", "Fault.RETRY, Fault.LOCK_WAIT}", "Fault.LOCK_WAIT}")
NO_LOCK_WAIT = Change("runtime", "Fault.RETRY, Fault.LOCK_WAIT}", "Fault.RETRY}")
RACES: dict[str, tuple[str, str, Change, Callable[[Race], str], str, str]] = {
    "lock of the read-back": ("mariadb", "READ UNCOMMITTED", UNCOMMITTED, two_fail, "PROCESSED", "DUPLICATE"),
    "second claim": ("mariadb", "READ COMMITTED", NO_ONCE_MORE, two_fail, "PROCESSED", "OperationalError TRANSIENT"),
    "serialization failure is a suspicion": (
        "postgresql",
        "REPEATABLE READ",
        NO_RETRY,
        winner_commits,
        "DUPLICATE",
        "OperationalError TRANSIENT",
    ),
    "lock time-out is a suspicion": (
        "sqlite",
        "delete",
        NO_LOCK_WAIT,
        waits_too_long,
        "IN_PROGRESS",
        "OperationalError TRANSIENT",
    ),
}


@pytest.mark.parametrize("rule", RACES)
def test_without_it_the_race_ends_badly(rule: str, make_race: Callable[[str, str], Race]) -> None:
    on, level, change, run, good, bad = RACES[rule]
    assert run(make_race(on, level)) == good
    assert run(replace(make_race(on, level), package=generated(changes=(change,)))) == bad
