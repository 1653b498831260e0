"""Where the inbox is: another name of the table, another schema, another dialect."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import on_sqlite, order, rename
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


def moved(old: Inbox, new: Inbox) -> bool:
    """Whether the table has another name or lies in another schema."""
    before, after = old.table, new.table
    return (before.schema, before.per_tenant, before.name) != (after.schema, after.per_tenant, after.name)


def _refuse_move(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    before, after = old.table, new.table
    if before.per_tenant != after.per_tenant or (before.schema and not after.schema):
        return (refused("R615", new, f"from {_place(before)} to {_place(after)}"),)
    if after.was != before.name:
        return (refused("R605", new, after.name, before.name),)
    return ()


def _place(table: Table) -> str:
    return table.schema or ("a schema per tenant" if table.per_tenant else "the connection's own schema")


def _move(old: Inbox, new: Inbox) -> Migration:
    up: dict[Dialect, Steps] = {}
    down: dict[Dialect, Steps] = {}
    back_to = way_back(old, new)
    for dialect in new.dialects:
        if dialect is Dialect.SQLITE:
            up[dialect] = on_sqlite.change(old, new)
            down[dialect] = on_sqlite.change(new, back_to)
            continue
        room = ROOMS[dialect]
        forth = [*rename.move(dialect, old, new), *rename.keep_old_name(dialect, old, new)]
        back = [*rename.drop_old_name(dialect, old, new), *rename.move(dialect, new, back_to)]
        up[dialect] = Steps(room.limited(forth), locks=room.brief, by_hand=rename.by_hand(dialect, old, new))
        down[dialect] = Steps(room.limited(back), locks=room.brief)
    words = order.RENAME_TABLE + (order.OTHER_SCHEMA if old.table.schema != new.table.schema else "")
    if renamed(old, new):
        words += order.OTHER_COLUMNS
    return Migration("rename_table", words, up, down)


def _moved(old: Inbox, new: Inbox) -> Migration | None:
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


ROWS = (
    Row("another dialect", lambda old, new: bool(_new_dialects(old, new)), _add_dialects),
    Row("another place of the table", moved, _move, _moved, _leftover, _refuse_move),
)
