"""Inbox → SQLAlchemy metadata per dialect, and the DDL that it compiles to: the one source of every generated DDL."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sqlalchemy import Column, Index, MetaData, PrimaryKeyConstraint, Table, TextClause, UniqueConstraint, text
from sqlalchemy.dialects.mssql.base import MSDDLCompiler
from sqlalchemy.engine import URL
from sqlalchemy.engine import Dialect as SQLAlchemyDialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.schema import CreateColumn, CreateIndex, CreateTable, DropTable, ExecutableDDLElement
from sqlalchemy.sql.elements import quoted_name
from sqlalchemy.types import TypeEngine

from inboxgen.dialects import mariadb, mssql, mysql, postgresql, sqlite
from inboxgen.dialects.literals import literal
from inboxgen.model import FAMILY, DedupKey, Dialect, Inbox, Uniqueness
from inboxgen.names import shorten

DIALECTS: dict[Dialect, ModuleType] = {
    Dialect.POSTGRESQL: postgresql,
    Dialect.SQLITE: sqlite,
    Dialect.MSSQL: mssql,
    Dialect.MYSQL: mysql,
    Dialect.MARIADB: mariadb,
}


def column_types(inbox: Inbox, dialect: Dialect) -> dict[str, TypeEngine[Any]]:
    """Every column of the inbox, in order, with its type in `dialect`."""
    room = DIALECTS[dialect]
    table = inbox.table
    return {
        table.id: room.identity(),
        **{column.column: room.key_type(column.type) for column in (*inbox.key, *inbox.unused_columns)},
        table.consumer: room.key_type(inbox.consumer_type),
        table.received_at: room.instant(),
        table.processed_at: room.instant(),
    }


def build_table(inbox: Inbox, dialect: Dialect) -> Table:
    """The inbox table in a metadata of its own; every name is given and quoted."""
    names, defaults = inbox.table, column_defaults(inbox, dialect)
    columns = [
        Column(
            quoted_name(name, quote=True),
            type_,
            nullable=name == names.processed_at,
            server_default=defaults.get(name),
            info={"default": default_name(inbox, name)},
        )
        for name, type_ in column_types(inbox, dialect).items()
    ]
    return Table(
        quoted_name(names.name, quote=True),
        MetaData(),
        *columns,
        PrimaryKeyConstraint(names.id, name=quoted_name(names.primary_key, quote=True)),
        *(_unique(key, dialect) for key in dedup_keys(inbox)),
        schema=quoted_name(names.schema, quote=True) if names.schema else None,
        sqlite_autoincrement=True,
        mysql_engine="InnoDB",
        mariadb_engine="InnoDB",
    )


def dedup_keys(inbox: Inbox) -> tuple[DedupKey, ...]:
    """The unique keys that the table has: ours, and until a change is settled the one before it."""
    leftover = inbox.leftover
    return (inbox.dedup, leftover.key) if leftover and leftover.held else (inbox.dedup,)


def column_defaults(inbox: Inbox, dialect: Dialect) -> dict[str, TextClause]:
    """What the database fills in for replicas whose code does not know a column, until that change is settled."""
    columns = inbox.leftover.defaults if inbox.leftover else ()
    literals = {column.column: literal(dialect, column.type, column.backfill) for column in columns}
    return {name: text(value.replace(":", r"\:")) for name, value in literals.items()}


def default_name(inbox: Inbox, column: str) -> str:
    """What a default is called on SQL Server, where it is a constraint of the column and is dropped by its name."""
    return shorten(f"df_{inbox.table.name}_{column}")


@compiles(CreateColumn, "mssql")
def _create_column(create: CreateColumn, compiler: MSDDLCompiler, **options: Any) -> str:
    column = create.element
    text: str = compiler.visit_create_column(create, **options)  # type: ignore[no-untyped-call]
    default = f" DEFAULT {compiler.get_column_default_string(column)}"
    name = compiler.preparer.quote_identifier(column.info.get("default", ""))
    return text.replace(default, f" CONSTRAINT {name}{default}", 1)


def _unique(key: DedupKey, dialect: Dialect) -> Index | UniqueConstraint:
    """On MySQL and MariaDB a part of CREATE TABLE: DDL commits there, and a table may never be without its key."""
    name = quoted_name(key.name, quote=True)
    if key.uniqueness is Uniqueness.INDEX and dialect not in FAMILY:
        return Index(name, *key.columns, unique=True)
    return UniqueConstraint(*key.columns, name=name)


def index_statements(table: Table, dialect: Dialect) -> tuple[str, ...]:
    """The DDL of the table's indexes, by name: SQLAlchemy keeps them as a set."""
    return tuple(compile_ddl(CreateIndex(index), dialect) for index in sorted(table.indexes, key=lambda i: str(i.name)))


def create_statements(inbox: Inbox, dialect: Dialect) -> tuple[str, ...]:
    """The DDL that makes the present schema in an empty database, without terminators."""
    table = build_table(inbox, dialect)
    return (compile_ddl(CreateTable(table), dialect), *index_statements(table, dialect))


def drop_statements(inbox: Inbox, dialect: Dialect) -> tuple[str, ...]:
    """The DDL that undoes `create_statements`."""
    return (compile_ddl(DropTable(build_table(inbox, dialect)), dialect),)


def compile_ddl(element: ExecutableDDLElement, dialect: Dialect) -> str:
    """SQLAlchemy's text of `element`, with spaces for tabs and no blanks at line ends."""
    text = str(element.compile(dialect=sqlalchemy_dialect(dialect)))
    return "\n".join(line.rstrip() for line in text.strip().replace("\t", "    ").splitlines())


def sqlalchemy_dialect(dialect: Dialect) -> SQLAlchemyDialect:
    """SQLAlchemy's dialect as it renders text, without its driver being installed."""
    return URL.create(str(dialect)).get_dialect()()
