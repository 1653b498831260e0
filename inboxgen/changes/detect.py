"""Old inbox and new inbox → the one change of the schema between them, or why there cannot be one.

Adding a feature that changes the schema is adding a row: to ROWS here, or to those of the module that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from inboxgen.changes import fixed, keys, lengths, places
from inboxgen.changes.aside import returned
from inboxgen.changes.columns import added
from inboxgen.changes.refusals import refused
from inboxgen.changes.rows import Row
from inboxgen.changes.steps import Migration
from inboxgen.findings import RepositoryError
from inboxgen.model import Inbox

ROWS: tuple[Row, ...] = (*fixed.ROWS, *places.ROWS, *lengths.ROWS, *keys.ROWS)


@dataclass(frozen=True, slots=True)
class Change:
    """A change of the schema, as a row describes it."""

    row: Row
    old: Inbox
    new: Inbox

    @property
    def expand(self) -> Migration | None:
        """The revision that old and new replicas can both live with; None where no database has anything to do."""
        return _if_any(self.row.expand(self.old, self.new))

    @property
    def contract(self) -> Migration | None:
        """The revision that takes away what only old replicas need; None where nothing is left."""
        return _if_any(self.row.contract(self.old, self.new))

    @property
    def following(self) -> Change | None:
        """The change that the end of this one begins: the way back of a table that was put aside."""
        return detect(self.new, returned(self.new)) if self.new.table.own_name else None

    @property
    def between(self) -> Inbox:
        """The new inbox with what the change leaves of the old one until it is settled."""
        return replace(self.new, leftover=self.row.leftover(self.old, self.new))


def _if_any(migration: Migration | None) -> Migration | None:
    """None for a migration that sends nothing: a column may have another length in the spec and none in a database."""
    sends = migration and any(steps.statements for steps in (*migration.up.values(), *migration.down.values()))
    return migration if sends else None


def detect(old: Inbox, new: Inbox) -> Change | None:
    """The change between two specs whose schemas differ, None where they do not; it may be one that is refused."""
    rows = [row for row in ROWS if row.applies(old, new)]
    return Change(rows[0], old, new) if rows else None


def refuse(old: Inbox, new: Inbox) -> None:
    """Raises RepositoryError for a change that is not made, and for several at once."""
    rows = [row for row in ROWS if row.applies(old, new)]
    found = [finding for row in rows for finding in row.refuse(old, new)]
    if not found and len(rows) > 1:
        found = [refused("R601", new, "; ".join(row.what for row in rows))]
    if found:
        raise RepositoryError(found)


def refuse_backfills(unsettled: Change, spec: Inbox) -> None:
    """Raises RepositoryError where the spec says another backfill than the one that an unsettled change has used."""
    said = {column.column: column.backfill for column in spec.key}
    found = [
        refused("R617", spec, f"{column.field} from {column.backfill} to {said[column.column]}", column.backfill)
        for column in added(unsettled.old, unsettled.new)
        if said[column.column] not in ("", column.backfill)
    ]
    if found:
        raise RepositoryError(found)
