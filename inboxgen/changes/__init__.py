"""Two specs → what leads from one schema to the other, in which order, and what is refused. No I/O."""

from __future__ import annotations

from inboxgen.changes.aside import stage
from inboxgen.changes.columns import remembering
from inboxgen.changes.consumers import removed_consumers
from inboxgen.changes.detect import Change, detect, refuse, refuse_backfills
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
    "refuse_backfills",
    "remembering",
    "removed_consumers",
    "stage",
    "take_over",
]
