"""Which column of the old table is which of the new one: by its name, or by its field and what that was before."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.dialects.literals import empty
from inboxgen.model import Inbox, KeyColumn

_OWN = ("id", "consumer", "received_at", "processed_at")


def kept(old: Inbox, new: Inbox) -> list[tuple[KeyColumn, KeyColumn]]:
    """The key columns that both have, as they were and as they are, in the new order."""
    left = {column.column: column for column in old.key}
    found = {column.column: left.pop(column.column) for column in new.key if column.column in left}
    for column in new.key:
        if column.column not in found:
            field = column.was or column.field
            before = next((each for each in left.values() if each.field == field), None)
            if before:
                found[column.column] = left.pop(before.column)
    return [(found[column.column], column) for column in new.key if column.column in found]


def remembering(recorded: Inbox, inbox: Inbox) -> Inbox:
    """`inbox` with the past that its columns were recorded with: until that is settled, the spec may forget it."""
    known = {column.column: column for column in recorded.key}
    past = ((column, known.get(column.column, column)) for column in inbox.key)
    return replace(inbox, key=tuple(replace(column, was=was.was, backfill=was.backfill) for column, was in past))


def way_back(old: Inbox, new: Inbox) -> Inbox:
    """The old inbox as what the new one becomes again: its columns say what they are called in the new one."""
    present = {before.column: after.field for before, after in kept(old, new)}
    return replace(old, key=tuple(replace(column, was=present.get(column.column, "")) for column in old.key))


def added(old: Inbox, new: Inbox) -> tuple[KeyColumn, ...]:
    """Key columns that only the new inbox has."""
    known = [column for _, column in kept(old, new)]
    return tuple(column for column in new.key if column not in known)


def removed(old: Inbox, new: Inbox) -> tuple[KeyColumn, ...]:
    """Key columns that only the old inbox has, with what the database fills in for new replicas."""
    known = [column for column, _ in kept(old, new)]
    return tuple(replace(column, backfill=empty(column.type)) for column in old.key if column not in known)


def names(old: Inbox, new: Inbox) -> list[tuple[str, str]]:
    """Every column that both have, by its name before and after, in the order of the new table."""
    own = {name: (getattr(old.table, name), getattr(new.table, name)) for name in _OWN}
    key = [(before.column, after.column) for before, after in kept(old, new)]
    return [own["id"], *key, own["consumer"], own["received_at"], own["processed_at"]]


def renamed(old: Inbox, new: Inbox) -> list[tuple[str, str]]:
    """The columns that have another name now, before and after."""
    return [(before, after) for before, after in names(old, new) if before != after]
