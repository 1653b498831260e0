"""How each database is altered in place, in one shape; SQLite is not: it goes from table to table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from inboxgen.changes import on_mssql, on_mysql, on_postgresql, on_sqlite
from inboxgen.changes.steps import Check, Steps
from inboxgen.model import DedupKey, Dialect, Inbox, KeyColumn


@dataclass(frozen=True, slots=True)
class Room:
    """The steps of one database; each returns statements. `drop_…` end with another key that must be there."""

    brief: str
    limited: Callable[[Iterable[str]], tuple[str, ...]]
    add_key: Callable[[Inbox, DedupKey], list[str]]
    drop_key: Callable[[Inbox, DedupKey, DedupKey], list[str]]
    replace_key: Callable[[Inbox, DedupKey, DedupKey], list[str]]
    add_column: Callable[[Inbox, KeyColumn], list[str]]
    drop_columns: Callable[[Inbox, Iterable[KeyColumn], DedupKey, DedupKey], list[str]]
    set_default: Callable[[Inbox, KeyColumn], list[str]]
    drop_default: Callable[[Inbox, KeyColumn], list[str]]
    retype: Callable[[Inbox, KeyColumn, KeyColumn], list[str]]


def _mysql(dialect: Dialect) -> Room:
    return Room(
        on_mysql.BRIEF,
        on_mysql.limited,
        partial(on_mysql.add_key, dialect),
        partial(on_mysql.drop_key, dialect),
        partial(on_mysql.replace_key, dialect),
        partial(on_mysql.add_column, dialect),
        partial(on_mysql.drop_columns, dialect),
        partial(on_mysql.set_default, dialect),
        partial(on_mysql.drop_default, dialect),
        partial(on_mysql.retype, dialect),
    )


ROOMS: Mapping[Dialect, Room] = MappingProxyType(
    {
        Dialect.POSTGRESQL: Room(
            on_postgresql.BRIEF,
            on_postgresql.limited,
            on_postgresql.add_key,
            on_postgresql.drop_key,
            on_postgresql.replace_key,
            on_postgresql.add_column,
            on_postgresql.drop_columns,
            on_postgresql.set_default,
            on_postgresql.drop_default,
            on_postgresql.retype,
        ),
        Dialect.MSSQL: Room(
            on_mssql.BRIEF,
            on_mssql.limited,
            on_mssql.add_key,
            on_mssql.drop_key,
            on_mssql.replace_key,
            on_mssql.add_column,
            on_mssql.drop_columns,
            on_mssql.set_default,
            on_mssql.drop_default,
            on_mssql.retype,
        ),
        Dialect.MYSQL: _mysql(Dialect.MYSQL),
        Dialect.MARIADB: _mysql(Dialect.MARIADB),
    }
)


def alter(
    before: Inbox,
    after: Inbox,
    build: Callable[[Room], list[str]],
    check: Callable[[Dialect], tuple[Check, ...]] | None = None,
    locks: Callable[[Dialect], str] | None = None,
) -> dict[Dialect, Steps]:
    """The steps from `before` to `after` on each dialect of both: by `build` in its room, else table to table."""
    found = {}
    for dialect in after.dialects:
        if dialect not in before.dialects:
            continue
        checks = check(dialect) if check else ()
        if room := ROOMS.get(dialect):
            statements = room.limited(build(room))
            wait = locks(dialect) if locks else room.brief
            found[dialect] = Steps(statements, checks, wait) if statements else Steps()
        else:
            found[dialect] = on_sqlite.change(before, after, checks)
    return found
