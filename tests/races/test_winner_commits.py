"""Instances take one message at once, and the first commits: the effect is applied once."""

from __future__ import annotations

import pytest

from tests.races.conftest import Race


def test_naive_check_then_insert_applies_twice(default_race: Race) -> None:
    """The control: without the unique key, these same races apply the message twice."""
    instances = default_race.crew.take(2)
    for instance in instances:
        instance.deliver(default_race.job(naive=True))
        instance.hear("holding")
    for instance in instances:
        instance.go_on()
        assert instance.end() == "PROCESSED"
    assert default_race.credits == 2


@pytest.mark.parametrize("losers", [1, 3])
def test_effect_is_applied_once(race: Race, losers: int) -> None:
    winner, others = race.start(losers)
    winner.go_on()
    assert winner.end() == "PROCESSED"
    assert [other.end() for other in others] == ["DUPLICATE"] * losers
    assert (race.credits, race.markers) == (1, 1)


def test_nothing_is_seen_before_the_commit(race: Race) -> None:
    winner, (other,) = race.start(1)
    assert (race.credits, race.markers) == (0, 0)
    winner.go_on()
    assert winner.end() == "PROCESSED"
    assert other.end() == "DUPLICATE"
    assert (race.credits, race.markers) == (1, 1)


def test_late_delivery_is_a_duplicate(race: Race) -> None:
    (instance,) = race.crew.take(1)
    assert race.deliver(instance) == "PROCESSED"
    assert race.deliver(instance) == "DUPLICATE"
    assert (race.credits, race.markers) == (1, 1)


def test_two_consumers_of_one_message_both_run(race: Race) -> None:
    first, second = race.crew.take(2)
    first.deliver(race.job(hold=True))
    first.hear("holding")
    second.deliver(race.job(consumer="email"))
    second.hear("claiming")
    first.go_on()
    assert [first.end(), second.end()] == ["PROCESSED", "PROCESSED"]
    assert (race.credits, race.markers) == (2, 2)
