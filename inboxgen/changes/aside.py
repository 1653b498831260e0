"""The table put aside while its columns get other names: two releases, each beside the replicas of the one before it.

Under one name of the table, old and new replicas would write to different columns. So the table has another name from
the first release to the second, and a view has its own name with the columns' old ones.
"""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes.columns import renamed
from inboxgen.model import Inbox
from inboxgen.names import shorten


def moved(old: Inbox, new: Inbox) -> bool:
    """Whether the table has another name or lies in another schema."""
    before, after = old.table, new.table
    return (before.schema, before.per_tenant, before.name) != (after.schema, after.per_tenant, after.name)


def stage(old: Inbox, new: Inbox) -> Inbox:
    """What follows `old` on the way to `new`: the table aside where only its columns have other names, else `new`."""
    table = new.table
    if old.table.own_name == table.name or (renamed(old, new) and not moved(old, new)):
        aside = replace(table, name=shorten(f"{table.name}_next"), own_name=table.name, was=table.name)
        return replace(new, table=aside)
    return new


def returned(aside: Inbox) -> Inbox:
    """The inbox with its table under its own name again."""
    table = aside.table
    return replace(aside, table=replace(table, name=table.own_name, was=table.name, own_name=""))
