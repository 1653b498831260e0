"""Instances take one message at once, and the first rolls back or dies: one that waited does the work."""

from __future__ import annotations

import time

import pytest

from tests.races.conftest import Race
from tests.races.crew import PATIENCE, Instance

WAYS_TO_FAIL = ["raise", "kill"]


def fail(winner: Instance, how: str) -> None:
    if how == "kill":
        winner.kill()
        return
    winner.go_on("raise")
    assert winner.end() == "Rejected OTHER"


def first_to_hold(*instances: Instance) -> list[Instance]:
    until = time.monotonic() + PATIENCE
    while not any(instance.has("holding") for instance in instances):
        assert time.monotonic() < until
        time.sleep(0.01)
    ordered = sorted(instances, key=lambda instance: not instance.has("holding"))
    ordered[0].hear("holding")
    return ordered


@pytest.mark.parametrize("how", WAYS_TO_FAIL)
@pytest.mark.parametrize("losers", [1, 3])
def test_one_that_waited_does_the_work(race: Race, losers: int, how: str) -> None:
    winner, others = race.start(losers)
    fail(winner, how)
    ends = [other.end() for other in others]
    assert ends.count("PROCESSED") == 1, ends
    assert (race.credits, race.markers) == (1, 1)
    for other, end in zip(others, ends, strict=True):
        if end not in ("PROCESSED", "DUPLICATE"):
            # The database's own trouble in a crowd, a second deadlock say: the redelivery settles it.
            assert end.endswith(" TRANSIENT"), ends
            assert race.deliver(other) == "DUPLICATE"
    assert (race.credits, race.markers) == (1, 1)


def test_one_that_failed_works_when_redelivered(race: Race) -> None:
    (instance,) = race.crew.take(1)
    instance.deliver(race.job(hold=True))
    instance.hear("holding")
    fail(instance, "raise")
    assert (race.credits, race.markers) == (0, 0)
    assert race.deliver(instance) == "PROCESSED"
    assert race.deliver(instance) == "DUPLICATE"
    assert (race.credits, race.markers) == (1, 1)


def two_fail(race: Race) -> str:
    """The winner rolls back, then so does the loser that claimed next: what the other loser says.

    On MariaDB the winner's rollback lets one loser claim, and the other deadlock: below READ COMMITTED that one could
    see the first one's marker, which never comes to be.
    """
    winner, *losers = race.crew.take(3)
    winner.deliver(race.job(hold=True))
    winner.hear("holding")
    for loser in losers:
        loser.deliver(race.job(hold=True))
        loser.hear("claiming")
    race.await_blocked(losers)
    fail(winner, "raise")
    first, second = first_to_hold(*losers)
    race.await_blocked([second])
    fail(first, "raise")
    if second.hear("holding", "ended")["event"] == "holding":
        second.go_on()
    return second.end()


def test_marker_of_a_loser_that_fails_too_makes_no_duplicate(race: Race) -> None:
    assert two_fail(race) == "PROCESSED"
    assert (race.credits, race.markers) == (1, 1)
