"""SQLite, for real: both drivers, raw and through SQLAlchemy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import URL

from tests.classifier.connections import SQLITE, Connection, connect

SCHEMA = (
    "CREATE TABLE parent (id INTEGER PRIMARY KEY)",
    "CREATE TABLE inbox (id INTEGER CONSTRAINT pk_inbox PRIMARY KEY, message_id TEXT NOT NULL, consumer TEXT NOT NULL,"
    " size INTEGER CHECK (size > 0), parent INTEGER REFERENCES parent (id), other TEXT UNIQUE)",
    "CREATE UNIQUE INDEX uq_inbox_message_id_consumer ON inbox (message_id, consumer)",
    "CREATE TABLE inbox_archive (message_id TEXT, consumer TEXT, UNIQUE (message_id, consumer))",
    "CREATE TABLE inbo (message_id TEXT, consumer TEXT, UNIQUE (message_id, consumer))",
    "CREATE TABLE turned (message_id TEXT, consumer TEXT, UNIQUE (consumer, message_id))",
    'CREATE TABLE "x: inbox" (message_id TEXT, consumer TEXT, UNIQUE (message_id, consumer))',
    "CREATE TABLE orders (number TEXT)",
    "CREATE UNIQUE INDEX uq_orders ON orders (lower(number))",
    "CREATE TABLE liar (id INTEGER)",
    "CREATE TRIGGER lies BEFORE INSERT ON liar BEGIN"
    " SELECT RAISE(ABORT, 'UNIQUE constraint failed: inbox.message_id, inbox.consumer'); END",
    "INSERT INTO inbox (id, message_id, consumer, other) VALUES (1, 'm', 'c', 'o')",
    "INSERT INTO inbox_archive VALUES ('m', 'c')",
    "INSERT INTO inbo VALUES ('m', 'c')",
    "INSERT INTO turned VALUES ('m', 'c')",
    "INSERT INTO \"x: inbox\" VALUES ('m', 'c')",
    "INSERT INTO orders VALUES ('UNIQUE constraint failed: inbox.message_id, inbox.consumer')",
)
CASES = {
    "our key": ("INSERT INTO inbox (message_id, consumer) VALUES ('m', 'c')", "UNIQUE_OURS"),
    "other key": ("INSERT INTO inbox (message_id, consumer, other) VALUES ('n', 'c', 'o')", "UNIQUE_OTHER"),
    "primary key": ("INSERT INTO inbox (id, message_id, consumer) VALUES (1, 'n', 'c')", "UNIQUE_OTHER"),
    "not null": ("INSERT INTO inbox (message_id) VALUES ('n')", "OTHER"),
    "foreign key": ("INSERT INTO inbox (message_id, consumer, parent) VALUES ('n', 'c', 9)", "OTHER"),
    "check": ("INSERT INTO inbox (message_id, consumer, size) VALUES ('n', 'c', 0)", "OTHER"),
    "our name is a prefix": ("INSERT INTO inbox_archive VALUES ('m', 'c')", "UNIQUE_OTHER"),
    "a prefix of our name": ("INSERT INTO inbo VALUES ('m', 'c')", "UNIQUE_OTHER"),
    "our name is a suffix": ("INSERT INTO \"x: inbox\" VALUES ('m', 'c')", "UNIQUE_OTHER"),
    "other order": ("INSERT INTO turned VALUES ('m', 'c')", "UNIQUE_OTHER"),
    "value says our key": (
        "INSERT INTO orders VALUES ('UNIQUE constraint failed: inbox.message_id, inbox.consumer')",
        "UNIQUE_OTHER",
    ),
    "trigger says our key": ("INSERT INTO liar VALUES (1)", "OTHER"),
    "read only": ("INSERT INTO liar VALUES (1)", "OTHER", "PRAGMA query_only = 1"),
    "full": ("INSERT INTO orders VALUES (hex(zeroblob(900000)))", "UNAVAILABLE", "PRAGMA max_page_count = 20"),
    "no such function": ("SELECT nonsense(1)", "OTHER"),
}


@pytest.fixture(params=[(driver, via) for driver in SQLITE for via in ("raw", "sqlalchemy")], ids="-".join)
def how(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def url(tmp_path: Path) -> URL:
    url = URL.create("sqlite", database=str(tmp_path / "test.sqlite"))
    with connect(url, "sqlite3", "raw") as connection:
        for statement in SCHEMA:
            connection.run(statement)
    return url


@pytest.fixture
def connection(url: URL, how: tuple[str, str]) -> Iterator[Connection]:
    with connect(url, *how) as connection:
        connection.run("PRAGMA foreign_keys = 1")
        yield connection


@pytest.fixture(scope="module")
def classifier(build: Callable[..., ModuleType]) -> ModuleType:
    return build(("sqlite",))


@pytest.mark.parametrize("case", CASES)
def test_statement(case: str, connection: Connection, classifier: ModuleType) -> None:
    statement, expected, *before = CASES[case]
    for first in before:
        connection.run(first)
    assert classifier.diagnose(connection.fails(statement)).name == expected


def test_lock_wait(url: URL, how: tuple[str, str], connection: Connection, classifier: ModuleType) -> None:
    with connect(url, *how) as other:
        other.run("BEGIN IMMEDIATE")
        error = connection.fails("INSERT INTO inbox (message_id, consumer) VALUES ('n', 'c')")
    assert classifier.diagnose(error).name == "LOCK_WAIT"


def test_stale_snapshot(url: URL, how: tuple[str, str], connection: Connection, classifier: ModuleType) -> None:
    connection.run("PRAGMA journal_mode = wal")
    connection.run("BEGIN")
    connection.run("SELECT count(*) FROM inbox")
    with connect(url, *how) as other:
        other.run("INSERT INTO inbox (message_id, consumer) VALUES ('n', 'c')")
    error = connection.fails("INSERT INTO inbox (message_id, consumer) VALUES ('o', 'c')")
    assert classifier.diagnose(error).name == "RETRY"


def test_missing_table(
    connection: Connection, how: tuple[str, str], build: Callable[..., ModuleType], classifier: ModuleType
) -> None:
    """It is ours to wait for only where SQLAlchemy says that the statement was ours."""
    absent = build(("sqlite",), table="absent")
    expected = "UNAVAILABLE" if how[1] == "sqlalchemy" else "OTHER"
    for statement in (
        'INSERT INTO "absent" ("message_id") VALUES (1)',
        'SELECT 1 \nFROM "absent" \nWHERE "absent"."message_id" = 1',
        'SELECT "absent"."a", "absent"."b" \nFROM "absent" \nWHERE 1',
    ):
        error = connection.fails(statement)
        assert absent.diagnose(error).name == expected
        assert classifier.diagnose(error).name == "OTHER"
    for statement in (
        'INSERT INTO "absent_too" ("message_id") VALUES (1)',
        "INSERT INTO absent_too SELECT 'INSERT INTO \"absent\" ('",
        'SELECT 1 \nFROM "absent"."other" \nWHERE 1',
        'SELECT 1 \nFROM "absent" JOIN "missing" ON 1',
        'SELECT 1 \nFROM "absent", "missing" \nWHERE 1',
        "SELECT 1 FROM missing WHERE 'SELECT 1 \nFROM \"absent\" \n' = 1",
    ):
        assert absent.diagnose(connection.fails(statement)).name == "OTHER"


def test_missing_column(connection: Connection, how: tuple[str, str], classifier: ModuleType) -> None:
    error = connection.fails('INSERT INTO "inbox" ("state") VALUES (1)')
    assert classifier.diagnose(error).name == ("UNAVAILABLE" if how[1] == "sqlalchemy" else "OTHER")


@pytest.mark.parametrize("via", ["raw", "sqlalchemy"])
def test_no_file(tmp_path: Path, via: str, classifier: ModuleType) -> None:
    missing = URL.create("sqlite", database=str(tmp_path / "none" / "x"))
    with pytest.raises(Exception, match="unable to open") as caught, connect(missing, "sqlite3", via):
        pass
    assert classifier.diagnose(caught.value).name == "UNAVAILABLE"
