"""Any chain of changes ends in the schema that its last spec has from the start, and its way back in the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from sqlalchemy import Connection, Engine

from inboxgen.changes import Migration, detect, refuse, stage
from inboxgen.model import Dialect, Inbox
from inboxgen.schema import create_statements
from inboxgen.spec import load
from tests.conftest import missing
from tests.migrations.chains import (
    Spec,
    chains,
    migrate,
    postgresql_connection,
    postgresql_engine,
    run,
    schema,
    sqlite_connection,
)
from tests.servers import NoServer

Connect = Callable[[], AbstractContextManager[Connection]]
MARKER = "INSERT INTO inbox (message_id, consumer, received_at) VALUES ('{}', 'credit', '2026-01-01 00:00:00')"
MANY = settings(deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def postgresql() -> Iterator[Engine]:
    try:
        with postgresql_engine() as engine:
            yield engine
    except NoServer as error:
        missing(str(error))


@settings(MANY, max_examples=40)
@given(chain=chains())
@example(chain=[Spec(), Spec(table="Group", was="inbox"), Spec(table="inbox", was="Group")])
@example(chain=[Spec(), Spec(key=(("event_id", 40),), former="message_id"), Spec(former="event_id")])
def test_on_sqlite(chain: list[Spec], tmp_path_factory: pytest.TempPathFactory) -> None:
    there_and_back(chain, Dialect.SQLITE, sqlite_connection, tmp_path_factory.mktemp("chain"))


@settings(MANY, max_examples=15)
@given(chain=chains())
def test_on_postgresql(chain: list[Spec], postgresql: Engine, tmp_path_factory: pytest.TempPathFactory) -> None:
    connect = partial(postgresql_connection, postgresql)
    there_and_back(chain, Dialect.POSTGRESQL, connect, tmp_path_factory.mktemp("chain"))


def there_and_back(chain: list[Spec], dialect: Dialect, connect: Connect, folder: Path) -> None:
    """Lead a database from the first spec to the last and back, with markers in it that nothing may touch."""
    inboxes = [_loaded(spec, folder) for spec in chain]

    def fresh(inbox: Inbox) -> dict[str, object]:
        with connect() as connection:
            run(connection, create_statements(inbox, dialect))
            return schema(connection)

    way: list[tuple[Migration, object]] = []
    with connect() as connection:
        run(connection, create_statements(inboxes[0], dialect))
        run(connection, [MARKER.format("m1"), MARKER.format("m2")])
        for old, new in pairwise(inboxes):
            for migration, wanted in _changes(old, new):
                way.append((migration, schema(connection)))
                migrate(connection, dialect, migration)
                assert schema(connection)["tables"] == fresh(wanted)["tables"]
            assert schema(connection) == fresh(new)
            assert _markers(connection, new) == 2
        for migration, before in reversed(way):
            migrate(connection, dialect, migration, back=True)
            assert schema(connection) == before
        assert _markers(connection, inboxes[0]) == 2


def _changes(old: Inbox, new: Inbox) -> Iterator[tuple[Migration, Inbox]]:
    """The migrations from one spec to the next, each with the schema that it leads to."""
    aim = stage(old, new)
    refuse(old, aim)
    change = detect(old, aim)
    migration = change.expand if change else None
    while change:
        if migration:
            yield migration, change.between
        migration, change = change.contract, change.following
    if migration:
        yield migration, new


def _loaded(spec: Spec, folder: Path) -> Inbox:
    path = folder / "orders.yaml"
    path.write_text(str(spec), encoding="utf-8")
    return load(path)


def _markers(connection: Connection, inbox: Inbox) -> object:
    return run(connection, [f'SELECT COUNT(*) FROM "{inbox.table.name}"'])[0][0]
