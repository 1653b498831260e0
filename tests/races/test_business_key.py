"""Two messages compete for a business key: its violation belongs to the handler, and is never taken for a duplicate."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from tests.races.conftest import Race

# What a substring search would take for our key, in each engine's way of naming it.
SPOOFS = [
    "plain {}",
    "{} ix_inbox_message_id_consumer",
    "{}' for key 'ix_inbox_message_id_consumer'",
    "{} UNIQUE constraint failed: inbox.message_id, inbox.consumer",
]


@pytest.mark.parametrize("spoof", SPOOFS, ids=["plain", "name", "mariadb", "sqlite"])
def test_violation_is_raised(default_race: Race, spoof: str) -> None:
    order = spoof.format(uuid4().hex)
    other_message = replace(default_race, message=uuid4().hex)
    winner, loser = default_race.crew.take(2)
    winner.deliver(default_race.job(hold=True, order=order))
    winner.hear("holding")
    loser.deliver(other_message.job(order=order))
    loser.hear("claiming" if default_race.on == "sqlite" else "ordering")
    default_race.await_blocked([loser])
    assert not loser.has("ended")
    winner.go_on()
    assert winner.end() == "PROCESSED"
    assert loser.end() == "IntegrityError CONFLICT"
    assert (other_message.credits, other_message.markers) == (0, 0)
    assert other_message.deliver(loser, order=order + "'") == "PROCESSED"
    assert (other_message.credits, other_message.markers) == (1, 1)
