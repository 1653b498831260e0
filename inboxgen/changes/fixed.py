"""What stays as it is once markers are stored under it."""

from __future__ import annotations

from inboxgen.changes.keys import added, removed
from inboxgen.changes.places import moved
from inboxgen.changes.refusals import refused
from inboxgen.changes.rows import Row
from inboxgen.findings import Finding
from inboxgen.model import Inbox

_OWN_COLUMNS = ("id", "consumer", "received_at", "processed_at")


def _renamed_inbox(old: Inbox, new: Inbox) -> bool:
    return old.name != new.name


def _switched_naming(old: Inbox, new: Inbox) -> bool:
    return old.naming is not new.naming and bool(added(old, new) or _own(old, new))


def _own(old: Inbox, new: Inbox) -> list[str]:
    pairs = [(getattr(old.table, name), getattr(new.table, name)) for name in _OWN_COLUMNS]
    return [f"{before} to {after}" for before, after in pairs if before != after]


def _renamed_columns(old: Inbox, new: Inbox) -> bool:
    return not _switched_naming(old, new) and bool(_own(old, new) or (added(old, new) and removed(old, new)))


def _refuse_columns(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    names = _own(old, new)
    gone, come = removed(old, new), added(old, new)
    if gone and come:
        names += [f"{', '.join(c.column for c in gone)} to {', '.join(c.column for c in come)}"]
    other = gone[0].column if gone else names[0].partition(" to ")[0]
    return (refused("R610", new, "; ".join(names), other),)


def _reordered(old: Inbox, new: Inbox) -> bool:
    before, after = ([column.column for column in inbox.key] for inbox in (old, new))
    return [name for name in before if name in after] != [name for name in after if name in before]


def _renamed_primary_key(old: Inbox, new: Inbox) -> bool:
    return not moved(old, new) and old.naming is new.naming and old.table.primary_key != new.table.primary_key


ROWS = (
    Row(
        "another name of the inbox",
        _renamed_inbox,
        refuse=lambda old, new: (refused("R612", new, new.name, old.name),),
    ),
    Row(
        "another naming",
        _switched_naming,
        refuse=lambda old, new: (refused("R611", new, str(new.naming), str(old.naming)),),
    ),
    Row("another name of a column", _renamed_columns, refuse=_refuse_columns),
    Row(
        "another order of the key",
        _reordered,
        refuse=lambda old, new: (refused("R609", new, ", ".join(column.field for column in new.key)),),
    ),
    Row(
        "another name of the primary key",
        _renamed_primary_key,
        refuse=lambda old, new: (refused("R614", new, f"{old.table.primary_key} to {new.table.primary_key}"),),
    ),
)
