"""Inbox → the statements that its runtime sends, as SQLAlchemy Core: what `statements.sql` shows.

The generated package builds the same statements by itself; a test compares what it sends with these.
"""

from __future__ import annotations

from sqlalchemy import Executable, Insert, bindparam, insert, literal_column, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.engine import URL
from sqlalchemy.engine import Dialect as SQLAlchemyDialect

from inboxgen.model import Dialect, Inbox
from inboxgen.schema import DIALECTS, build_table

FAMILY = (Dialect.MYSQL, Dialect.MARIADB)
SAVEPOINT = "inbox_marker"


def statements(inbox: Inbox, dialect: Dialect) -> dict[str, str]:
    """The text of each statement by its name, with `:name` for parameters and without terminators."""
    built: dict[str, Executable] = {"claim": claim(inbox, dialect), "find": find(inbox, dialect)}
    if dialect in FAMILY:
        built["set savepoint"] = text(f"SAVEPOINT {SAVEPOINT}")
        built["release savepoint"] = text(f"RELEASE SAVEPOINT {SAVEPOINT}")
    return {name: _compiled(statement, inbox, dialect) for name, statement in built.items()}


def claim(inbox: Inbox, dialect: Dialect) -> Executable:
    """The insertion of a marker; only PostgreSQL and SQLite can refuse one without an error."""
    table, names = build_table(inbox, dialect), inbox.table
    now = literal_column(DIALECTS[dialect].CLOCK)
    times = {names.received_at: now, names.processed_at: now}
    match dialect:
        case Dialect.POSTGRESQL:
            return postgresql.insert(table).values(times).on_conflict_do_nothing().inline()
        case Dialect.SQLITE:
            return sqlite.insert(table).values(times).on_conflict_do_nothing().inline()
        case _:
            return insert(table).values(times).inline()


def find(inbox: Inbox, dialect: Dialect) -> Executable:
    """The look-up of a marker by its whole key; where a dirty read is possible, it reads what is committed."""
    table = build_table(inbox, dialect)
    key = [table.c[column] == bindparam(column) for column in inbox.dedup_columns]
    statement = select(table.c[inbox.table.id]).where(*key)
    if dialect in FAMILY:
        return statement.with_for_update(read=True)
    if dialect is Dialect.MSSQL:
        return statement.with_hint(table, "WITH (READCOMMITTEDLOCK)", "mssql")
    return statement


def _compiled(statement: Executable, inbox: Inbox, dialect: Dialect) -> str:
    keys = {"column_keys": list(inbox.dedup_columns)} if isinstance(statement, Insert) else {}
    compiled = str(statement.compile(dialect=_without_driver(dialect), **keys))
    return "\n".join(line.rstrip() for line in compiled.strip().splitlines())


def _without_driver(dialect: Dialect) -> SQLAlchemyDialect:
    """With `:name` for parameters, and without the casts that some drivers of PostgreSQL ask for."""
    if dialect is Dialect.POSTGRESQL:
        return PGDialect(paramstyle="named")
    return URL.create(str(dialect)).get_dialect()(paramstyle="named")
