"""What fits into a key column: more before the code, less after it."""

from __future__ import annotations

from inboxgen.changes import on_mysql, order, sql
from inboxgen.changes.columns import kept
from inboxgen.changes.refusals import refused
from inboxgen.changes.rooms import ROOMS, Room, alter
from inboxgen.changes.rows import Row
from inboxgen.changes.steps import Check, Migration
from inboxgen.dialects import mssql
from inboxgen.findings import Finding
from inboxgen.model import Dialect, Inbox, KeyColumn, KeyType, Kind

Pairs = list[tuple[KeyColumn, KeyColumn]]


def retyped(old: Inbox, new: Inbox) -> Pairs:
    """Key columns of another type, before and after."""
    return [(was, now) for was, now in kept(old, new) if was.type != now.type]


def _wider(old: Inbox, new: Inbox) -> Pairs:
    return [(a, b) for a, b in retyped(old, new) if _same_values(a.type, b.type) and _fits(a.type, b.type)]


def _of_other_kind(old: Inbox, new: Inbox) -> Pairs:
    return [(a, b) for a, b in retyped(old, new) if not _same_values(a.type, b.type)]


def _same_values(before: KeyType, after: KeyType) -> bool:
    """Whether a value that both can hold is the same key in both: a text of ASCII is one in either."""
    return before.kind is after.kind or {before.kind, after.kind} == {Kind.ASCII, Kind.STRING}


def _fits(before: KeyType, after: KeyType) -> bool:
    return before.length <= after.length and (before.kind is after.kind or after.kind is Kind.STRING)


def _change(old: Inbox, new: Inbox, slug: str, words: str) -> Migration:
    wider = bool(_wider(old, new))
    pairs, back = retyped(old, new), [(b, a) for a, b in retyped(old, new)]

    def forth(room: Room) -> list[str]:
        return [each for before, after in pairs for each in room.retype(new, before, after)]

    def undo(room: Room) -> list[str]:
        return [each for before, after in back for each in room.retype(old, before, after)]

    names = "_".join(column.field for column, _ in pairs)
    up_check = None if wider else lambda dialect: _misfits(old, pairs, dialect)
    down_check = (lambda dialect: _misfits(new, back, dialect)) if wider else None
    return Migration(
        f"{slug}_{names}",
        words,
        alter(old, new, forth, up_check, lambda dialect: _locks(dialect, pairs)),
        alter(new, old, undo, down_check, lambda dialect: _locks(dialect, back)),
    )


def _misfits(inbox: Inbox, pairs: Pairs, dialect: Dialect) -> tuple[Check, ...]:
    """Values that the type after it cannot hold."""
    found = []
    for before, column in pairs:
        name, longest = sql.quoted(dialect, column.column), column.type.length
        if before.type.kind is not column.type.kind is Kind.ASCII:
            query = f"SELECT {name}\nFROM {sql.table_name(dialect, inbox)}\nWHERE {_beyond_ascii(dialect, name)}"
            advice = (
                f"{inbox.table.name} has markers whose {column.column} is not of ASCII alone. Delete them when their "
                "messages cannot come again, or keep the type. They are"
            )
            found.append(Check(query, advice))
        length = _length(dialect, before.type.kind, name)
        query = f"SELECT {name}, {length}\nFROM {sql.table_name(dialect, inbox)}\nWHERE {length} > {longest}"
        advice = (
            f"{inbox.table.name} has markers whose {column.column} is longer than {longest}. Delete them when their "
            "messages cannot come again, or keep the length. They are, with their length"
        )
        found.append(Check(query, advice))
    return tuple(found)


def _length(dialect: Dialect, kind: Kind, name: str) -> str:
    if dialect is Dialect.SQLITE:
        return f"LENGTH({name})"
    if dialect is Dialect.MSSQL:
        return f"DATALENGTH({name}) / 2" if kind is Kind.STRING else f"DATALENGTH({name})"
    return f"OCTET_LENGTH({name})" if kind is Kind.BYTES else f"CHAR_LENGTH({name})"


def _beyond_ascii(dialect: Dialect, name: str) -> str:
    if dialect is Dialect.SQLITE:
        return f"LENGTH(CAST({name} AS BLOB)) > LENGTH({name})"
    if dialect is Dialect.MSSQL:
        return f"{name} LIKE N'%[^' + NCHAR(1) + N'-' + NCHAR(127) + N']%' COLLATE {mssql.COLLATION}"
    return f"OCTET_LENGTH({name}) > CHAR_LENGTH({name})"


def _locks(dialect: Dialect, pairs: Pairs) -> str:
    wider = all(_fits(before.type, after.type) for before, after in pairs)
    if dialect in (Dialect.MYSQL, Dialect.MARIADB):
        online = all(on_mysql.in_place(dialect, before, after) for before, after in pairs)
        return on_mysql.BRIEF if online else on_mysql.COPY
    if wider or dialect is Dialect.MSSQL:
        return ROOMS[dialect].brief
    return f"The server reads the whole table meanwhile, and writers wait. {ROOMS[dialect].brief}"


def _widen(old: Inbox, new: Inbox) -> Migration:
    return _change(old, new, "widen", order.WIDEN)


def _narrow(old: Inbox, new: Inbox) -> Migration:
    return _change(old, new, "narrow", order.NARROW)


def _is_narrow(old: Inbox, new: Inbox) -> bool:
    return len(retyped(old, new)) > len(_wider(old, new)) + len(_of_other_kind(old, new))


def _refuse_kinds(old: Inbox, new: Inbox) -> tuple[Finding, ...]:
    found = _of_other_kind(old, new)
    return tuple(refused("R608", new, f"{b.field} from {a.type} to {b.type}") for a, b in found)


ROWS = (
    Row("a wider key column", lambda old, new: bool(_wider(old, new)), _widen),
    Row("a narrower key column", _is_narrow, _narrow),
    Row("another type of a key column", lambda old, new: bool(_of_other_kind(old, new)), refuse=_refuse_kinds),
)
