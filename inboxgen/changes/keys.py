"""The dedup key: another kind or name of it, a column more, a column less. The new key is there before the old goes.

The default that lets a replica leave a column out is there only while the key that governs does without that column: a
claim in between would pass beside the marker that another replica wrote with a value.
"""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import order, sql
from inboxgen.changes.columns import added, removed
from inboxgen.changes.refusals import refused
from inboxgen.changes.rooms import alter
from inboxgen.changes.rows import Row
from inboxgen.changes.steps import Check, Migration
from inboxgen.dialects.literals import literal
from inboxgen.findings import Finding
from inboxgen.model import DedupKey, Dialect, Inbox, KeyColumn, Leftover


def _is_swap(old: Inbox, new: Inbox) -> bool:
    same_table = (old.table.schema, old.table.name) == (new.table.schema, new.table.name)
    return same_table and old.dedup_columns == new.dedup_columns and old.dedup != new.dedup


def _swap(old: Inbox, new: Inbox) -> Migration:
    return Migration(
        f"{new.uniqueness}".replace("-", "_"),
        order.SWAP,
        alter(old, new, lambda room: room.replace_key(new, old.dedup, new.dedup)),
        alter(new, old, lambda room: room.replace_key(new, new.dedup, old.dedup)),
    )


def _swap_leftover(old: Inbox, new: Inbox) -> Leftover | None:
    return Leftover(old.dedup) if old.dedup.name != new.dedup.name else None


def _is_longer(old: Inbox, new: Inbox) -> bool:
    return bool(added(old, new)) and not removed(old, new)


def _longer(old: Inbox, new: Inbox) -> Migration:
    between, columns = _between(old, new), added(old, new)
    return Migration(
        f"add_{'_'.join(column.field for column in columns)}",
        order.ADD_KEY_COLUMN,
        alter(
            old,
            between,
            lambda room: [
                *(each for column in columns for each in room.add_column(between, column)),
                *room.add_key(between, new.dedup),
            ],
        ),
        alter(between, old, lambda room: room.drop_columns(between, columns, new.dedup, old.dedup)),
    )


def _longer_settled(old: Inbox, new: Inbox) -> Migration:
    between, columns = _between(old, new), added(old, new)
    return Migration(
        f"settle_{'_'.join(column.field for column in columns)}",
        order.SETTLE_KEY_COLUMN,
        alter(
            between,
            new,
            lambda room: [
                *(each for column in columns for each in room.drop_default(between, column)),
                *room.drop_key(between, old.dedup, new.dedup),
            ],
            lambda dialect: (_young(new, columns, dialect),),
        ),
        alter(
            new,
            between,
            lambda room: [
                *room.add_key(between, old.dedup),
                *(each for column in columns for each in room.set_default(between, column)),
            ],
            lambda dialect: (twice(new, old.dedup, dialect),),
        ),
    )


def _is_shorter(old: Inbox, new: Inbox) -> bool:
    return bool(removed(old, new)) and not added(old, new)


def _shorter(old: Inbox, new: Inbox) -> Migration:
    between, columns = _between(old, new), removed(old, new)
    return Migration(
        f"leave_out_{'_'.join(column.field for column in columns)}",
        order.REMOVE_KEY_COLUMN,
        alter(
            old,
            between,
            lambda room: [
                *room.add_key(between, new.dedup),
                *(each for column in columns for each in room.set_default(between, column)),
            ],
            lambda dialect: (twice(old, new.dedup, dialect),),
        ),
        alter(
            between,
            old,
            lambda room: [
                *(each for column in columns for each in room.drop_default(between, column)),
                *room.drop_key(between, new.dedup, old.dedup),
            ],
        ),
    )


def _shorter_settled(old: Inbox, new: Inbox) -> Migration:
    between, columns = _between(old, new), removed(old, new)
    return Migration(
        f"drop_{'_'.join(column.field for column in columns)}",
        order.DROP_KEY_COLUMN,
        alter(between, new, lambda room: room.drop_columns(between, columns, old.dedup, new.dedup)),
        alter(
            new,
            between,
            lambda room: [
                *(each for column in columns for each in room.add_column(between, column)),
                *room.add_key(between, old.dedup),
            ],
        ),
    )


def _leftover(old: Inbox, new: Inbox) -> Leftover:
    return Leftover(old.dedup, held=True, defaults=added(old, new) + removed(old, new))


def _between(old: Inbox, new: Inbox) -> Inbox:
    return replace(new, leftover=_leftover(old, new))


def _refuse(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    found = [refused("R606", new, column.field) for column in added(old, new) if not column.backfill]
    if old.dedup.name == new.dedup.name:
        found.append(refused("R607", new, new.dedup.name))
    return tuple(found)


def twice(inbox: Inbox, key: DedupKey, dialect: Dialect) -> Check:
    """That no two markers are one under `key`."""
    columns = sql.columns(dialect, key.columns)
    query = (
        f"SELECT {columns}, COUNT(*)\nFROM {sql.table_name(dialect, inbox)}\nGROUP BY {columns}\nHAVING COUNT(*) > 1"
    )
    names = ", ".join(key.columns)
    return Check(
        query,
        f"{inbox.table.name} has more than one marker with the same {names}. Look at what they stand for; if each is "
        f"one message, delete all but the oldest marker. They are, with their number",
    )


def _young(inbox: Inbox, columns: tuple[KeyColumn, ...], dialect: Dialect) -> Check:
    """Markers of old replicas whose messages may come again: under the new key alone they would be taken again."""
    received, processed = (sql.quoted(dialect, name) for name in (inbox.table.received_at, inbox.table.processed_at))
    moment = f"COALESCE({processed}, {received})"
    filled = [
        f"{sql.quoted(dialect, column.column)} = {literal(dialect, column.type, column.backfill)}" for column in columns
    ]
    seconds = int(inbox.retention.window.total_seconds()) if inbox.retention else 0
    until = sql.later(dialect, f"MAX({moment})", seconds)
    young = [f"{moment} > {sql.ago(dialect, seconds)}"] if inbox.retention else []
    query = (
        f"SELECT COUNT(*), MAX({moment}){f', {until}' if seconds else ''}\nFROM {sql.table_name(dialect, inbox)}\n"
        f"WHERE {' AND '.join(filled + young)}\nHAVING COUNT(*) > 0"
    )
    names = " and ".join(column.column for column in columns)
    reason = f"{inbox.table.name} has markers with the backfilled {names}, whose messages are taken again if they come "
    if inbox.retention:
        reason += "again. How many are younger than the retention, the newest, and when all are old enough"
    else:
        reason += "again; until when they may, only a `broker:` block tells. How many, and the newest"
    return Check(query, reason, unless="settle_inbox")


ROWS = (
    Row("another kind or name of the unique key", _is_swap, _swap, leftover=_swap_leftover),
    Row("a column more in the key", _is_longer, _longer, _longer_settled, _leftover, _refuse),
    Row("a column less in the key", _is_shorter, _shorter, _shorter_settled, _leftover, _refuse),
)
