"""Where the inbox is: another name of the table, another schema, another dialect."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import on_sqlite, order, rename
from inboxgen.changes.aside import moved, returned
from inboxgen.changes.columns import renamed, way_back
from inboxgen.changes.refusals import refused
from inboxgen.changes.rooms import ROOMS
from inboxgen.changes.rows import Row
from inboxgen.changes.steps import Migration, Steps
from inboxgen.dialects.titles import TITLES
from inboxgen.findings import Finding
from inboxgen.model import Dialect, Inbox, Leftover, Table
from inboxgen.schema import create_statements, drop_statements


def _new_dialects(old: Inbox, new: Inbox) -> tuple[Dialect, ...]:
    return tuple(dialect for dialect in new.dialects if dialect not in old.dialects)


def _add_dialects(old: Inbox, new: Inbox) -> Migration:
    dialects = _new_dialects(old, new)
    return Migration(
        f"create_inbox_on_{'_'.join(dialects)}",
        order.ADD_DIALECT.format(titles=" and ".join(TITLES[dialect] for dialect in dialects)),
        {dialect: Steps(create_statements(new, dialect)) for dialect in dialects},
        {dialect: Steps(drop_statements(new, dialect)) for dialect in dialects},
        drops_inbox=dialects,
    )


def _refuse_move(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    before, after = old.table, new.table
    if before.per_tenant != after.per_tenant or (before.schema and not after.schema):
        return (refused("R615", new, f"from {_place(before)} to {_place(after)}"),)
    if after.was != before.name:
        return (refused("R605", new, after.name, before.name),)
    if old.uniqueness is not new.uniqueness:
        return (refused("R601", new, "another name or place of the table or its columns; another kind of its key"),)
    return ()


def _place(table: Table) -> str:
    return table.schema or ("a schema per tenant" if table.per_tenant else "the connection's own schema")


def _move(old: Inbox, new: Inbox) -> Migration:
    up = {dialect: _there(dialect, old, new) for dialect in new.dialects}
    down = {dialect: _back(dialect, old, new) for dialect in new.dialects}
    if new.table.own_name:
        words = order.RENAME_COLUMNS.format(name=new.table.own_name, aside=new.table.name)
        return Migration("rename_columns", words, up, down)
    words = order.RENAME_TABLE + (order.OTHER_SCHEMA if old.table.schema != new.table.schema else "")
    if renamed(old, new):
        words += order.OTHER_COLUMNS
    return Migration("rename_table", words, up, down)


def _there(dialect: Dialect, old: Inbox, new: Inbox, before: Inbox | None = None) -> Steps:
    """The table at its new place, and its old name kept; one that was kept for replicas of `before` goes first."""
    if dialect is Dialect.SQLITE:
        return on_sqlite.change(old, new)
    room = ROOMS[dialect]
    statements = [
        *(rename.drop_old_name(dialect, before, old) if before else ()),
        *rename.move(dialect, old, new),
        *rename.keep_old_name(dialect, old, new),
    ]
    # The account has its rights on a name that it knew before.
    by_hand = "" if before else rename.by_hand(dialect, old, new)
    return Steps(room.limited(statements), locks=room.brief, by_hand=by_hand)


def _back(dialect: Dialect, old: Inbox, new: Inbox, before: Inbox | None = None) -> Steps:
    back_to = way_back(old, new)
    if dialect is Dialect.SQLITE:
        return on_sqlite.change(new, back_to)
    room = ROOMS[dialect]
    statements = [
        *rename.drop_old_name(dialect, old, new),
        *rename.move(dialect, new, back_to),
        *(rename.keep_old_name(dialect, before, old) if before else ()),
    ]
    return Steps(room.limited(statements), locks=room.brief)


def _moved(old: Inbox, new: Inbox) -> Migration:
    if new.table.own_name:
        own = returned(new)
        return Migration(
            "return_table",
            order.RETURN_TABLE.format(name=own.table.name, aside=new.table.name),
            {dialect: _there(dialect, new, own, before=old) for dialect in new.dialects},
            {dialect: _back(dialect, new, own, before=old) for dialect in new.dialects},
        )
    up, down = {}, {}
    for dialect in new.dialects:
        room = ROOMS.get(dialect)
        # On SQLite the old name went with the rename; the revision has nothing to do there.
        up[dialect] = (
            Steps(room.limited(rename.drop_old_name(dialect, old, new)), locks=room.brief) if room else Steps()
        )
        keep = room.limited(rename.keep_old_name(dialect, old, new)) if room else ()
        down[dialect] = Steps(keep, locks=room.brief if room else "")
    return Migration("drop_old_name", order.DROP_OLD_NAME, up, down)


def _leftover(old: Inbox, new: Inbox) -> Leftover | None:
    return Leftover(replace(new.dedup, name=old.dedup.name)) if old.dedup.name != new.dedup.name else None


def _refuse_renamed_aside(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    return (refused("R602", new, new.spec_path),)


ROWS = (
    # Any other such table is put aside for it, and so has another name.
    Row(
        "another name of a column of a table that is put aside",
        lambda old, new: bool(renamed(old, new)) and not moved(old, new),
        refuse=_refuse_renamed_aside,
    ),
    Row("another dialect", lambda old, new: bool(_new_dialects(old, new)), _add_dialects),
    Row("another name or place of the table or its columns", moved, _move, _moved, _leftover, _refuse_move),
)
