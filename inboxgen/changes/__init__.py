"""Two specs → what leads from one schema to the other, in which order, and what is refused. No I/O."""

from __future__ import annotations

from inboxgen.changes.consumers import removed_consumers
from inboxgen.changes.detect import Change, detect, refuse
from inboxgen.changes.steps import Check, Migration, Outside, Steps, in_transaction
from inboxgen.changes.take_over import take_over

__all__ = [
    "Change",
    "Check",
    "Migration",
    "Outside",
    "Steps",
    "detect",
    "in_transaction",
    "refuse",
    "removed_consumers",
    "take_over",
]
