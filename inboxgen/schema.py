"""Inbox → SQLAlchemy metadata per dialect, and the DDL that it compiles to: the one source of every generated DDL."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sqlalchemy import Column, Index, MetaData, PrimaryKeyConstraint, Table, UniqueConstraint
from sqlalchemy.engine import URL
from sqlalchemy.engine import Dialect as SQLAlchemyDialect
from sqlalchemy.schema import CreateIndex, CreateTable, DropTable, ExecutableDDLElement
from sqlalchemy.sql.elements import quoted_name
from sqlalchemy.types import TypeEngine

from inboxgen.dialects import mariadb, mssql, mysql, postgresql, sqlite
from inboxgen.model import Dialect, Inbox, Uniqueness

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
        **{column.column: room.key_type(column.type) for column in inbox.key},
        table.consumer: room.key_type(inbox.consumer_type),
        table.received_at: room.instant(),
        table.processed_at: room.instant(),
    }


def build_table(inbox: Inbox, dialect: Dialect) -> Table:
    """The inbox table in a metadata of its own; every name is given and quoted."""
    names = inbox.table
    columns = [
        Column(quoted_name(name, quote=True), type_, nullable=name == names.processed_at)
        for name, type_ in column_types(inbox, dialect).items()
    ]
    key = quoted_name(names.dedup_key, quote=True)
    unique = (
        Index(key, *inbox.dedup_columns, unique=True)
        if inbox.uniqueness is Uniqueness.INDEX
        else UniqueConstraint(*inbox.dedup_columns, name=key)
    )
    return Table(
        quoted_name(names.name, quote=True),
        MetaData(),
        *columns,
        PrimaryKeyConstraint(names.id, name=quoted_name(names.primary_key, quote=True)),
        unique,
        schema=quoted_name(names.schema, quote=True) if names.schema else None,
        sqlite_autoincrement=True,
        mysql_engine="InnoDB",
        mariadb_engine="InnoDB",
    )


def create_statements(inbox: Inbox, dialect: Dialect) -> tuple[str, ...]:
    """The DDL that makes the present schema in an empty database, without terminators."""
    table = build_table(inbox, dialect)
    return tuple(compile_ddl(element, dialect) for element in (CreateTable(table), *map(CreateIndex, table.indexes)))


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
