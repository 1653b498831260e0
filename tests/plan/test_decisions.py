from __future__ import annotations

from itertools import product

import pytest

from inboxgen.decisions import TABLE, Action, Disk, Recorded, Wanted, decide

NOBODY = {(Wanted.NOTHING, Recorded.NOTHING, disk) for disk in Disk}
# Equal to what would be rendered, though nothing is.
IMPOSSIBLE = {(Wanted.NOTHING, recorded, Disk.EQUAL) for recorded in (Recorded.DERIVED, Recorded.PENDING)}
SITUATIONS = [each for each in product(Wanted, Recorded, Disk) if each not in NOBODY | IMPOSSIBLE]

D, F, Y, N = Wanted
RD, RF, RY, RP, RN = Recorded
MISSING, EQUAL, OURS, OTHER, BLOCKED = Disk


@pytest.mark.parametrize(
    ("wanted", "recorded", "disk", "action", "code", "override"),
    [
        (D, RN, MISSING, "create", "", None),
        (D, RN, EQUAL, "keep", "", None),
        (D, RN, OTHER, "refuse", "R407", None),
        (D, RD, MISSING, "create", "", None),
        (D, RD, EQUAL, "keep", "", None),
        (D, RD, OURS, "update", "", None),
        (D, RD, OTHER, "refuse", "R406", "update"),
        (D, RD, BLOCKED, "refuse", "R403", None),
        (D, RY, OURS, "refuse", "R407", None),
        (D, RY, OTHER, "refuse", "R407", None),
        (D, RP, OURS, "update", "", None),
        (D, RP, OTHER, "refuse", "R406", "update"),
        (D, RF, OURS, "keep", "", None),
        (F, RN, MISSING, "create", "", None),
        (F, RN, EQUAL, "keep", "", None),
        (F, RN, OTHER, "refuse", "R407", None),
        (F, RP, MISSING, "create", "", None),
        (F, RP, OURS, "update", "", None),
        (F, RF, OURS, "keep", "", None),
        (F, RF, MISSING, "refuse", "R404", None),
        (F, RF, OTHER, "refuse", "R405", "keep"),
        (N, RF, OURS, "keep", "", None),
        (N, RF, MISSING, "refuse", "R404", None),
        (N, RF, OTHER, "refuse", "R405", "keep"),
        (N, RF, BLOCKED, "refuse", "R403", None),
        (Y, RN, MISSING, "create", "", None),
        (Y, RY, MISSING, "create", "", None),
        (Y, RN, OTHER, "keep", "", None),
        (Y, RY, OTHER, "keep", "", None),
        (Y, RY, OURS, "keep", "", None),
        (Y, RY, BLOCKED, "refuse", "R403", None),
        (N, RY, OTHER, "report", "", None),
        (N, RY, OURS, "report", "", None),
        (N, RY, MISSING, "forget", "", None),
        (N, RD, OURS, "delete", "", None),
        (N, RD, MISSING, "forget", "", None),
        (N, RD, OTHER, "refuse", "R408", "delete"),
        (N, RD, BLOCKED, "refuse", "R403", None),
        (N, RP, OURS, "delete", "", None),
        (N, RP, OTHER, "refuse", "R408", "delete"),
    ],
)
def test_row(wanted: Wanted, recorded: Recorded, disk: Disk, action: str, code: str, override: str | None) -> None:
    row = decide(wanted, recorded, disk)
    assert (row.action, row.code, row.override) == (action, code, override)


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda each: "-".join(each))
def test_every_situation_has_a_row(situation: tuple[Wanted, Recorded, Disk]) -> None:
    assert decide(*situation) in TABLE


def test_every_row_is_the_first_that_fits_something() -> None:
    assert {decide(*each) for each in SITUATIONS} == set(TABLE)


def test_nothing_of_the_users_is_ever_written_over_or_deleted() -> None:
    for wanted, recorded, disk in SITUATIONS:
        row = decide(wanted, recorded, disk)
        if disk is not MISSING and (wanted is Y or recorded is RY):
            assert {row.action, row.override} <= {Action.KEEP, Action.REPORT, Action.REFUSE, None}


def test_a_frozen_file_is_never_written_again() -> None:
    for wanted, disk in product(Wanted, Disk):
        row = decide(wanted, RF, disk)
        assert {row.action, row.override} <= {Action.KEEP, Action.REFUSE, None}


def test_a_path_that_nobody_wants_and_nobody_wrote_has_none() -> None:
    with pytest.raises(LookupError):
        decide(N, RN, OTHER)
