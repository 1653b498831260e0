"""schema.sql and statements.sql are what the generated package creates and sends, marker style and casts aside."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import URL, ClauseElement, create_engine, event
from sqlalchemy.orm import sessionmaker
from sqlalchemy.schema import CreateIndex, CreateTable

from inboxgen.model import FAMILY, Dialect
from inboxgen.sqlread import split
from tests.golden import ROOT
from tests.trees import RUNNABLE, inbox, package

CASES = [(example, dialect) for example in RUNNABLE for dialect in inbox(example).dialects]
_PARAMETER = re.compile(r"%\([^)]*\)s|%s|\?|(?<!:):\w[\w\"]*")
_CAST = re.compile(r"::\w+")
# The models leave it to SQLAlchemy to quote the names of keys, and that quotes what needs it.
_NEEDLESS_QUOTES = re.compile(r"[\"`\[]([a-z_][a-z0-9_]*)[\"`\]]")


def normal(sql: str) -> str:
    return " ".join(_NEEDLESS_QUOTES.sub(r"\1", _PARAMETER.sub("?", _CAST.sub("", sql))).split())


def golden(example: str, dialect: str, name: str) -> list[str]:
    path = ROOT / example / "golden" / inbox(example).name / dialect / name
    return [normal(sql) for sql in split(path.read_text(encoding="utf-8"), Dialect(dialect))]


def compiled(element: ClauseElement, dialect: str, **options: Any) -> str:
    return normal(str(element.compile(dialect=URL.create(dialect).get_dialect()(), **options)))


@pytest.mark.parametrize(("example", "dialect"), CASES)
def test_the_models_create_the_golden_schema(example: str, dialect: str) -> None:
    (table,) = package(example).models.Base.metadata.tables.values()
    ddl = [compiled(element, dialect) for element in (CreateTable(table), *map(CreateIndex, table.indexes))]
    assert (_in_one_statement(ddl) if dialect in FAMILY else ddl) == golden(example, dialect, "schema.sql")


def _in_one_statement(ddl: list[str]) -> list[str]:
    """Where DDL commits, our SQL creates the table with its key; a unique index and a constraint are the same there."""
    create, *indexes = ddl
    body, end, options = create.rpartition(" )")
    keys = [
        re.sub(r"^CREATE UNIQUE INDEX (.+?) ON .+? (\(.+\))$", r"CONSTRAINT \1 UNIQUE \2", index) for index in indexes
    ]
    return [", ".join((body, *keys)) + end + options]


@pytest.mark.parametrize(("example", "dialect"), CASES)
def test_the_statements_compile_to_the_golden_ones(example: str, dialect: str) -> None:
    built = package(example).statements
    claim = compiled(built.CLAIM[dialect], dialect, column_keys=list(inbox(example).dedup_columns))
    found = [claim, compiled(built.FIND[dialect], dialect)]
    assert found == golden(example, dialect, "statements.sql")[:2]


KEYS: dict[str, Callable[[Any], Any]] = {
    "orders": lambda module: module.MessageKey(message_id=uuid4()),
    "custom_names": lambda module: module.MessageKey(from_="here", event_id=uuid4()),
    "kafka": lambda module: module.MessageKey(topic="orders", partition=1, offset=2),
}


@pytest.mark.parametrize("example", KEYS)
def test_consume_sends_the_golden_statements(example: str, engine_url: URL) -> None:
    module, key = package(example), KEYS[example](package(example))
    engine = create_engine(engine_url)
    sent: list[str] = []
    try:
        module.models.Base.metadata.create_all(engine)
        event.listen(engine, "before_cursor_execute", lambda *call: sent.append(normal(call[2])))
        sessions = sessionmaker(engine)
        for outcome in ("PROCESSED", "DUPLICATE"):
            handled = module.runtime.consume(sessions, "credit", key, None, lambda session, message: None)
            assert handled.outcome.name == outcome
    finally:
        engine.dispose()
    dialect = "mariadb" if engine.dialect.name == "mysql" else engine.dialect.name
    claim, find, *savepoint = golden(example, dialect, "statements.sql")
    assert sent == [claim, *(savepoint if engine.dialect.driver != "psycopg" else ()), claim, find]
