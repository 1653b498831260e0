"""Inbox → the statements that its runtime sends, as SQLAlchemy Core: what `statements.sql` shows.

The generated package builds the same statements by itself; a test compares what it sends with these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import ClauseElement, ColumnElement, DateTime, bindparam, insert, literal_column, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.engine import URL
from sqlalchemy.engine import Dialect as SQLAlchemyDialect
from sqlalchemy.engine.interfaces import BindTyping

from inboxgen.dialects.drivers import NEEDS_SAVEPOINT, drivers_for
from inboxgen.model import FAMILY, Dialect, Inbox
from inboxgen.schema import DIALECTS, build_table

SAVEPOINT = "inbox_marker"


def statements(inbox: Inbox, dialect: Dialect) -> dict[str, str]:
    """The text of each statement by its name, with `:name` for parameters and without terminators."""
    built: dict[str, ClauseElement] = {"claim": claim(inbox, dialect), "find": find(inbox, dialect)}
    if not NEEDS_SAVEPOINT.isdisjoint(drivers_for(dialect, inbox.drivers)):
        built["set savepoint"] = text(f"SAVEPOINT {SAVEPOINT}")
        built["release savepoint"] = text(f"RELEASE SAVEPOINT {SAVEPOINT}")
    return {name: _compiled(statement, dialect) for name, statement in built.items()}


def claim(inbox: Inbox, dialect: Dialect) -> ClauseElement:
    """The insertion of a marker; only PostgreSQL and SQLite can refuse one without an error."""
    table, names = build_table(inbox, dialect), inbox.table
    now = literal_column(DIALECTS[dialect].CLOCK, DateTime())
    values: dict[str, ColumnElement[Any]] = {column: bindparam(field) for column, field in _parameters(inbox).items()}
    values |= {names.received_at: now, names.processed_at: now}
    match dialect:
        case Dialect.POSTGRESQL:
            return postgresql.insert(table).values(values).on_conflict_do_nothing().inline()
        case Dialect.SQLITE:
            return sqlite.insert(table).values(values).on_conflict_do_nothing().inline()
        case _:
            return insert(table).values(values).inline()


def find(inbox: Inbox, dialect: Dialect) -> ClauseElement:
    """The look-up of a marker by its whole key; where a dirty read is possible, it reads what is committed."""
    table = build_table(inbox, dialect)
    key = [table.c[column] == bindparam(field) for column, field in _parameters(inbox).items()]
    statement = select(table.c[inbox.table.id]).where(*key)
    if dialect in FAMILY:
        return statement.with_for_update(read=True)
    if dialect is Dialect.MSSQL:
        return statement.with_hint(table, "WITH (READCOMMITTEDLOCK)", "mssql")
    return statement


def _parameters(inbox: Inbox) -> dict[str, str]:
    """The parameter for each column of the dedup key: a column may have a name that no parameter can have."""
    return {**{column.column: column.field for column in inbox.key}, inbox.table.consumer: "consumer"}


def _compiled(statement: ClauseElement, dialect: Dialect) -> str:
    compiled = str(statement.compile(dialect=_without_driver(dialect)))
    return "\n".join(line.rstrip() for line in compiled.strip().splitlines())


def _without_driver(dialect: Dialect) -> SQLAlchemyDialect:
    """With `:name` for parameters, and without the casts that some drivers of PostgreSQL ask for."""
    url = URL.create(str(dialect))
    make: Callable[..., SQLAlchemyDialect] = PGDialect if dialect is Dialect.POSTGRESQL else url.get_dialect()
    made = make(paramstyle="named")
    made.bind_typing = BindTyping.NONE
    return made
