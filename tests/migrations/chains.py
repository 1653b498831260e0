"""Chains of specs, each one change away from the one before it, and the databases that are led along them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, create_engine, inspect, text
from sqlalchemy.pool import NullPool, StaticPool

from inboxgen.changes import Migration, in_transaction
from inboxgen.model import Dialect
from tests.servers import POSTGRESQL_DRIVER, postgresql_database

ALWAYS = ("message_id", "event_id")
MORE = ("tenant", "region", "source")


@dataclass(frozen=True)
class Spec:
    """What of a spec changes along a chain; the key's columns with their lengths, in order.

    `former` is what its first name was before, for the column that is never taken away.
    """

    key: tuple[tuple[str, int], ...] = (("message_id", 40),)
    uniqueness: str = "unique-index"
    table: str = "inbox"
    was: str = ""
    consumers: tuple[str, ...] = ("credit",)
    former: str = ""

    def __str__(self) -> str:
        key = ", ".join(
            f"{name}: {{type: string({length}), backfill: none{self._was(name)}}}" for name, length in self.key
        )
        was = f", was: {self.was}" if self.was else ""
        return (
            f"inbox: orders\ndialects: [postgresql, sqlite]\nuniqueness: {self.uniqueness}\nkey: {{{key}}}\n"
            f"table: {{name: {self.table}{was}}}\nconsumers: [{', '.join(self.consumers)}]\n"
        )

    def _was(self, name: str) -> str:
        return f", was: {self.former}" if self.former and name in ALWAYS else ""


def _longer(spec: Spec) -> Iterator[Spec]:
    for name in MORE:
        if name not in dict(spec.key):
            for at in range(len(spec.key) + 1):
                yield replace(spec, key=(*spec.key[:at], (name, 30), *spec.key[at:]))


def _shorter(spec: Spec) -> Iterator[Spec]:
    for name, length in spec.key:
        if name not in ALWAYS:
            yield replace(spec, key=tuple(column for column in spec.key if column != (name, length)))


def _retyped(spec: Spec) -> Iterator[Spec]:
    for at, (name, length) in enumerate(spec.key):
        for other in {30, 40, 64, 100} - {length}:
            yield replace(spec, key=(*spec.key[:at], (name, other), *spec.key[at + 1 :]))


def _others(spec: Spec) -> Iterator[Spec]:
    other = "unique-index" if spec.uniqueness == "alternate-key" else "alternate-key"
    yield replace(spec, uniqueness=other)
    now, was = ALWAYS if ALWAYS[1] in dict(spec.key) else ALWAYS[::-1]
    renamed = replace(spec, former=was, key=tuple((now if name == was else name, length) for name, length in spec.key))
    yield renamed
    for name in {"inbox", "orders_inbox", "Group"} - {spec.table}:
        yield replace(spec, table=name, was=spec.table)
        yield replace(renamed, table=name, was=spec.table)
    yield replace(spec, consumers=("credit",) if len(spec.consumers) > 1 else ("credit", "email"))


@st.composite
def chains(draw: st.DrawFn) -> list[Spec]:
    """At least two specs, each of which can follow the one before it."""
    found = [Spec()]
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from([_longer, _shorter, _retyped, _others]))
        possible = sorted(kind(found[-1]), key=str)
        if possible:
            found.append(draw(st.sampled_from(possible)))
    return found


def migrate(connection: Connection, dialect: Dialect, migration: Migration, *, back: bool = False) -> None:
    """Run a migration as its SQL script does; what it looks at before must be nothing, or may be passed over."""
    steps = (migration.down if back else migration.up)[dialect]
    for check in steps.checks:
        rows = run(connection, [check.query])
        assert check.unless or not rows, (check, rows)
    run(connection, in_transaction(dialect, steps.statements))


def run(connection: Connection, statements: Iterable[str]) -> list[Any]:
    """Run statements as they are; returns the rows of the last one."""
    rows: list[Any] = []
    for statement in statements:
        result = connection.exec_driver_sql(statement.replace("%", "%%") if _formats(connection) else statement)
        rows = [tuple(row) for row in result] if result.returns_rows else []
    return rows


def _formats(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def schema(connection: Connection) -> dict[str, Any]:
    """The tables and views that there are, as far as the inbox has to do with them."""
    found = inspect(connection)
    assert found is not None
    tables = {name: _table(found, name) for name in found.get_table_names() if not name.startswith("sqlite_")}
    return {"tables": tables, "views": found.get_view_names()}


def _table(found: Any, name: str) -> dict[str, Any]:
    columns = {}
    for column in found.get_columns(name):
        collation = getattr(column["type"], "collation", None)
        # The sequence of a table that is renamed keeps its name.
        default = None if column["name"] == "id" else column["default"]
        columns[column["name"]] = (str(column["type"]), collation, column["nullable"], default)
    uniques = sorted((each["name"], each["column_names"]) for each in found.get_unique_constraints(name))
    indexes = sorted((each["name"], each["column_names"], bool(each["unique"])) for each in found.get_indexes(name))
    key, checks = found.get_pk_constraint(name), found.get_check_constraints(name)
    return {
        "columns": columns,
        "unique": uniques,
        "indexes": indexes,
        "primary key": (key["name"], key["constrained_columns"]),
        "checks": sorted(str(check) for check in checks),
    }


@contextmanager
def sqlite_connection() -> Iterator[Connection]:
    """An empty database in memory."""
    engine = create_engine("sqlite://", poolclass=StaticPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


@contextmanager
def postgresql_engine() -> Iterator[Engine]:
    """A database in which each `postgresql_connection` is a schema of its own; raises NoServer."""
    with postgresql_database() as url:
        yield create_engine(url.set(drivername=POSTGRESQL_DRIVER), poolclass=NullPool, isolation_level="AUTOCOMMIT")


@contextmanager
def postgresql_connection(engine: Engine) -> Iterator[Connection]:
    """An empty schema, which the connection takes for its own."""
    name = f"chain_{uuid4().hex[:8]}"
    with engine.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
        connection.execute(text(f"SET search_path TO {name}"))
        connection.dialect.default_schema_name = name
        yield connection
        connection.execute(text(f"DROP SCHEMA {name} CASCADE"))
