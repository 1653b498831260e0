"""What a migration consists of: statements in order, what is looked at before them, and who goes first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from inboxgen.model import Dialect


class Outside(str):
    """A statement that PostgreSQL takes only outside of a transaction."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A query that must return no row; `advice` is what the rows are and what to do about them.

    `unless` names an argument of Alembic's `-x` that, set to the table's name, lets the migration go on all the same.
    """

    query: str
    advice: str
    unless: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """One direction on one database.

    `locks` says in a sentence whom it keeps waiting, and `by_hand` what it leaves to a person.
    """

    statements: tuple[str, ...] = ()
    checks: tuple[Check, ...] = ()
    locks: str = ""
    by_hand: str = ""


@dataclass(frozen=True, slots=True)
class Migration:
    """A revision: `order` says who goes first and what old replicas do meanwhile, in paragraphs.

    On `drops_inbox` the way back drops the table of markers.
    """

    slug: str
    order: str
    up: Mapping[Dialect, Steps]
    down: Mapping[Dialect, Steps]
    drops_inbox: tuple[Dialect, ...] = ()


def in_transaction(dialect: Dialect, statements: Sequence[str]) -> tuple[str, ...]:
    """The statements as the database's own client needs them, which begins no transaction by itself."""
    begin, commit = _TRANSACTION.get(dialect, ("", ""))
    if not begin or not statements:
        return tuple(statements)
    lines: list[str] = []
    inside = False
    for statement in statements:
        outside = isinstance(statement, Outside)
        if inside == outside:
            lines.append(commit if inside else begin)
            inside = not inside
        lines.append(statement)
    return (*lines, commit) if inside else tuple(lines)


_TRANSACTION = {
    Dialect.POSTGRESQL: ("BEGIN", "COMMIT"),
    Dialect.MSSQL: ("BEGIN TRANSACTION", "COMMIT"),
    Dialect.SQLITE: ("BEGIN IMMEDIATE", "COMMIT"),
}
