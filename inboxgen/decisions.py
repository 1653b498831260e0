"""The decision table: what a second run may do with a file, by who wants it, who wrote it and what is there now.

Data only. `inboxgen.plan` looks a situation up here; the first row that fits decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Action(StrEnum):
    """What a run does with a path."""

    CREATE = "create"
    UPDATE = "update"
    KEEP = "keep"
    DELETE = "delete"
    FORGET = "forget"  # nothing is there any more: only the record drops it
    REFUSE = "refuse"
    REPORT = "report"  # the user's, and no longer called: said once, never touched


class Wanted(StrEnum):
    """What the spec makes of the path now."""

    DERIVED = "derived"
    FROZEN = "frozen"
    YOURS = "yours"
    NOTHING = "nothing"


class Recorded(StrEnum):
    """What the record says of the path; pending is a file of a run that did not finish."""

    DERIVED = "derived"
    FROZEN = "frozen"
    YOURS = "yours"
    PENDING = "pending"
    NOTHING = "nothing"


class Disk(StrEnum):
    """What lies at the path, compared over LF."""

    MISSING = "missing"
    EQUAL = "equal"  # what would be rendered
    OURS = "ours"  # what we wrote, by the record's hash
    OTHER = "other"
    BLOCKED = "blocked"  # a folder, a symbolic link, a name that differs by case alone, …


@dataclass(frozen=True, slots=True)
class Row:
    """One rule. `override` is what `--force` (of a derived file) or `--accept` (of a frozen one) makes of a refusal."""

    wanted: frozenset[Wanted]
    recorded: frozenset[Recorded]
    disk: frozenset[Disk]
    action: Action
    code: str = ""
    override: Action | None = None


_ANY_WANTED, _ANY_RECORD, _ANY_DISK = frozenset(Wanted), frozenset(Recorded), frozenset(Disk)
_OURS_TO_WRITE = frozenset({Wanted.DERIVED, Wanted.FROZEN})
_REWRITTEN = frozenset({Recorded.DERIVED, Recorded.PENDING})
_FROZEN, _USERS, _UNKNOWN = (frozenset({each}) for each in (Recorded.FROZEN, Recorded.YOURS, Recorded.NOTHING))
_YOURS, _NOTHING = frozenset({Wanted.YOURS}), frozenset({Wanted.NOTHING})


def _disk(*states: Disk) -> frozenset[Disk]:
    return frozenset(states)


TABLE = (
    # History: judged by the record alone, whatever the spec would render today.
    Row(_ANY_WANTED, _FROZEN, _disk(Disk.EQUAL, Disk.OURS), Action.KEEP),
    Row(_ANY_WANTED, _FROZEN, _disk(Disk.MISSING), Action.REFUSE, "R404"),
    Row(_ANY_WANTED, _FROZEN, _disk(Disk.OTHER), Action.REFUSE, "R405", Action.KEEP),
    Row(_ANY_WANTED, _FROZEN, _disk(Disk.BLOCKED), Action.REFUSE, "R403"),
    # Ours to write.
    Row(_OURS_TO_WRITE, _ANY_RECORD, _disk(Disk.EQUAL), Action.KEEP),
    Row(_OURS_TO_WRITE, _ANY_RECORD, _disk(Disk.MISSING), Action.CREATE),
    Row(_OURS_TO_WRITE, _ANY_RECORD, _disk(Disk.BLOCKED), Action.REFUSE, "R403"),
    Row(_OURS_TO_WRITE, _REWRITTEN, _disk(Disk.OURS), Action.UPDATE),
    Row(_OURS_TO_WRITE, _REWRITTEN, _disk(Disk.OTHER), Action.REFUSE, "R406", Action.UPDATE),
    Row(_OURS_TO_WRITE, _USERS | _UNKNOWN, _disk(Disk.OURS, Disk.OTHER), Action.REFUSE, "R407"),
    # Written once for the user.
    Row(_YOURS, _ANY_RECORD, _disk(Disk.MISSING), Action.CREATE),
    Row(_YOURS, _ANY_RECORD, _disk(Disk.BLOCKED), Action.REFUSE, "R403"),
    Row(_YOURS, _ANY_RECORD, _disk(Disk.EQUAL, Disk.OURS, Disk.OTHER), Action.KEEP),
    # No longer rendered.
    Row(_NOTHING, _REWRITTEN, _disk(Disk.OURS), Action.DELETE),
    Row(_NOTHING, _REWRITTEN, _disk(Disk.MISSING), Action.FORGET),
    Row(_NOTHING, _REWRITTEN, _disk(Disk.OTHER), Action.REFUSE, "R408", Action.DELETE),
    Row(_NOTHING, _REWRITTEN, _disk(Disk.BLOCKED), Action.REFUSE, "R403"),
    Row(_NOTHING, _USERS, _disk(Disk.MISSING), Action.FORGET),
    Row(_NOTHING, _USERS, _ANY_DISK, Action.REPORT),
)


def decide(wanted: Wanted, recorded: Recorded, disk: Disk) -> Row:
    """The first row that fits. Raises LookupError for a path that nobody wants and nobody wrote."""
    for row in TABLE:
        if wanted in row.wanted and recorded in row.recorded and disk in row.disk:
            return row
    raise LookupError(f"no rule for {wanted}, {recorded}, {disk}")
