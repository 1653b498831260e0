"""What stays as it is once markers are stored under it."""

from __future__ import annotations

from inboxgen.changes.aside import moved
from inboxgen.changes.columns import added, kept, names, removed, renamed
from inboxgen.changes.refusals import refused
from inboxgen.changes.rows import Row
from inboxgen.findings import Finding
from inboxgen.model import Inbox


def _renamed_inbox(old: Inbox, new: Inbox) -> bool:
    return old.name != new.name


def _switched_naming(old: Inbox, new: Inbox) -> bool:
    return old.naming is not new.naming and bool(added(old, new) or renamed(old, new))


def _replaced_columns(old: Inbox, new: Inbox) -> bool:
    return bool(added(old, new) and removed(old, new)) and not _switched_naming(old, new)


def _refuse_columns(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    gone, come = (", ".join(column.field for column in found) for found in (removed(old, new), added(old, new)))
    return (refused("R610", new, come, gone),)


def _reordered(old: Inbox, new: Inbox) -> bool:
    before = [column for column, _ in kept(old, new)]
    return before != [column for column in old.key if column in before]


def _renamed_primary_key(old: Inbox, new: Inbox) -> bool:
    return not (moved(old, new) or _switched_naming(old, new)) and old.table.primary_key != new.table.primary_key


def _crossed(old: Inbox, new: Inbox) -> list[str]:
    """Names that meant another column before: of columns in the database, and of fields in Python."""
    columns, fields = {before for before, _ in names(old, new)}, {column.field for column in old.key}
    found = [f"{before} to {after}" for before, after in renamed(old, new) if after in columns]
    return found + [
        f"{after.field} to {after.column}"
        for before, after in kept(old, new)
        if after.field != before.field and after.field in fields
    ]


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
    Row(
        "the name of another column",
        lambda old, new: bool(_crossed(old, new)),
        refuse=lambda old, new: (refused("R618", new, "; ".join(_crossed(old, new))),),
    ),
    Row("another column in place of one", _replaced_columns, refuse=_refuse_columns),
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
