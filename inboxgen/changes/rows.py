"""The shape of one kind of change of the schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inboxgen.changes.steps import Migration
from inboxgen.findings import Finding
from inboxgen.model import Inbox, Leftover


def _no_migration(old: Inbox, new: Inbox) -> None:
    return None


def _no_leftover(old: Inbox, new: Inbox) -> Leftover | None:
    return None


def _nothing(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of change; every function is given the inbox before and after it.

    `what` names it in a sentence. `expand` is the revision to begin with, `contract` the one that `--settled` writes
    (None: nothing is left to do), `leftover` what the expanded schema has besides the new one, and `refuse` the
    reasons why this change is not made at all.
    """

    what: str
    applies: Callable[[Inbox, Inbox], bool]
    expand: Callable[[Inbox, Inbox], Migration | None] = _no_migration
    contract: Callable[[Inbox, Inbox], Migration | None] = _no_migration
    leftover: Callable[[Inbox, Inbox], Leftover | None] = _no_leftover
    refuse: Callable[[Inbox, Inbox], tuple[Finding, ...]] = _nothing
