"""MariaDB, for real: every driver of MySQL and MariaDB, raw and through SQLAlchemy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType

import pytest
from sqlalchemy import URL

from tests.classifier.connections import MYSQL, Connection, connect

KEY = "uq_inbox_message_id_consumer"
SPOOFS = (KEY, f"x'' for key ''{KEY}", f"''inbox.{KEY}''", "1213", f"(2627) ''{KEY}''")
SCHEMA = (
    "CREATE TABLE parent (id int PRIMARY KEY) ENGINE=InnoDB",
    "CREATE TABLE inbox (id int AUTO_INCREMENT PRIMARY KEY, message_id varchar(200) NOT NULL,"
    " consumer varchar(200) NOT NULL, size int CHECK (size > 0), parent int, other varchar(9),"
    f" UNIQUE KEY {KEY} (message_id, consumer), UNIQUE KEY uq_inbox_other (other),"
    " FOREIGN KEY (parent) REFERENCES parent (id)) ENGINE=InnoDB AUTO_INCREMENT=100",
    f"CREATE TABLE inbox_archive (message_id varchar(200), UNIQUE KEY {KEY}_archive (message_id)) ENGINE=InnoDB",
    f"CREATE TABLE shorter (message_id varchar(200), UNIQUE KEY {KEY[:-1]} (message_id)) ENGINE=InnoDB",
    f"CREATE TABLE longer (message_id varchar(200), UNIQUE KEY x{KEY} (message_id)) ENGINE=InnoDB",
    "CREATE TABLE orders (number varchar(200), UNIQUE KEY uq_orders (number)) ENGINE=InnoDB",
    "INSERT INTO inbox (id, message_id, consumer, other) VALUES (1, 'm', 'c', 'o'), (2, 'm2', 'c', 'o2')",
    "INSERT INTO inbox_archive VALUES ('m')",
    "INSERT INTO shorter VALUES ('m')",
    "INSERT INTO longer VALUES ('m')",
    *(f"INSERT INTO orders VALUES ('{value}')" for value in SPOOFS),
)
NEW = "INSERT INTO inbox (message_id, consumer) VALUES ('new', 'c')"
CASES = {
    "our key": ("INSERT INTO inbox (message_id, consumer) VALUES ('m', 'c')", "UNIQUE_OURS"),
    "other key": ("INSERT INTO inbox (message_id, consumer, other) VALUES ('n', 'c', 'o')", "UNIQUE_OTHER"),
    "primary key": ("INSERT INTO inbox (id, message_id, consumer) VALUES (1, 'n', 'c')", "UNIQUE_OTHER"),
    "not null": ("INSERT INTO inbox (message_id, consumer) VALUES ('n', NULL)", "OTHER"),
    "foreign key": ("INSERT INTO inbox (message_id, consumer, parent) VALUES ('n', 'c', 9)", "OTHER"),
    "check": ("INSERT INTO inbox (message_id, consumer, size) VALUES ('n', 'c', 0)", "OTHER"),
    "our key is a prefix": ("INSERT INTO inbox_archive VALUES ('m')", "UNIQUE_OTHER"),
    "a prefix of our key": ("INSERT INTO shorter VALUES ('m')", "UNIQUE_OTHER"),
    "our key is a suffix": ("INSERT INTO longer VALUES ('m')", "UNIQUE_OTHER"),
    **{f"value {value}": (f"INSERT INTO orders VALUES ('{value}')", "UNIQUE_OTHER") for value in SPOOFS},
    "read only": (NEW, "UNAVAILABLE", "START TRANSACTION READ ONLY"),
    "statement timeout": (
        "SELECT count(*) FROM information_schema.columns a, information_schema.columns b,"
        " information_schema.columns c",
        "UNAVAILABLE",
        "SET max_statement_time = 0.05",
    ),
    "prepared statement gone": ("EXECUTE nothing", "UNAVAILABLE"),
    "no such database": ("SELECT * FROM no_such_database.t", "OTHER"),
    "syntax": ("SELEC", "OTHER"),
}
# Names in another language stand elsewhere in the text, with words after them, but in the same order.
LANGUAGES = ("czech", "french", "german", "hungarian", "japanese", "russian", "slovak", "ukrainian")


@pytest.fixture(scope="module")
def url(mariadb: URL) -> URL:
    with connect(mariadb, "pymysql", "raw") as connection:
        for statement in SCHEMA:
            connection.run(statement)
    return mariadb


@pytest.fixture(params=[(driver, via) for driver in MYSQL for via in ("raw", "sqlalchemy")], ids="-".join)
def how(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def connection(url: URL, how: tuple[str, str]) -> Iterator[Connection]:
    with connect(url, *how) as connection:
        yield connection


@pytest.fixture(scope="module")
def classifier(build: Callable[..., ModuleType]) -> ModuleType:
    return build(("mariadb", "mysql"))


def test_statements(connection: Connection, classifier: ModuleType) -> None:
    found = {}
    for case, (statement, _, *before) in CASES.items():
        for first in before:
            connection.run(first)
        found[case] = classifier.diagnose(connection.fails(statement)).name
        connection.run("ROLLBACK")
        connection.run("SET max_statement_time = 0")
    assert found == {case: expected for case, (_, expected, *_) in CASES.items()}


def test_languages(connection: Connection, classifier: ModuleType) -> None:
    found = {}
    for language in LANGUAGES:
        connection.run(f"SET lc_messages = '{_locale(language)}'")
        ours = connection.fails("INSERT INTO inbox (message_id, consumer) VALUES ('m', 'c')")
        other = connection.fails(f"INSERT INTO orders VALUES ('x'' for key ''{KEY}')")
        found[language] = (classifier.diagnose(ours).name, classifier.diagnose(other).name)
    assert found == dict.fromkeys(LANGUAGES, ("UNIQUE_OURS", "UNIQUE_OTHER"))


def _locale(language: str) -> str:
    locales = ("cs_CZ", "fr_FR", "de_DE", "hu_HU", "ja_JP", "ru_RU", "sk_SK", "uk_UA")
    return dict(zip(LANGUAGES, locales, strict=True))[language]


def test_deadlock(url: URL, how: tuple[str, str], connection: Connection, classifier: ModuleType) -> None:
    with connect(url, *how) as other, ThreadPoolExecutor(1) as thread:
        for session, row in ((connection, 1), (other, 2)):
            session.run("BEGIN")
            session.run(f"UPDATE inbox SET size = ifnull(size, 0) + 1 WHERE id = {row}")
        waiting = thread.submit(connection.run, "UPDATE inbox SET size = ifnull(size, 0) + 1 WHERE id = 2")
        try:
            other.run("UPDATE inbox SET size = ifnull(size, 0) + 1 WHERE id = 1")
            other.run("ROLLBACK")
        except Exception as error:
            victim: BaseException | None = error
            waiting.result()
        else:
            victim = waiting.exception()
        connection.run("ROLLBACK")
    assert victim is not None
    assert classifier.diagnose(victim).name == "RETRY"


def test_serialization(url: URL, how: tuple[str, str], connection: Connection, classifier: ModuleType) -> None:
    connection.run("SET innodb_snapshot_isolation = ON")
    connection.run("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    connection.run("BEGIN")
    connection.run("SELECT count(*) FROM inbox")
    with connect(url, *how) as other:
        other.run("UPDATE inbox SET size = ifnull(size, 0) + 1 WHERE id = 1")
    error = connection.fails("UPDATE inbox SET size = ifnull(size, 0) + 1 WHERE id = 1")
    connection.run("ROLLBACK")
    assert classifier.diagnose(error).name == "RETRY"


def test_lock_wait(url: URL, how: tuple[str, str], connection: Connection, classifier: ModuleType) -> None:
    connection.run("SET innodb_lock_wait_timeout = 0")
    with connect(url, *how) as other:
        other.run("BEGIN")
        other.run(NEW)
        error = connection.fails(NEW)
        other.run("ROLLBACK")
    assert classifier.diagnose(error).name == "LOCK_WAIT"


def test_killed(url: URL, connection: Connection, classifier: ModuleType) -> None:
    thread = connection.run("SELECT connection_id()")
    with connect(url, "pymysql", "raw") as other:
        other.run(f"KILL CONNECTION {thread}")
    connection.pause()
    assert classifier.diagnose(connection.fails("SELECT 1")).name == "UNAVAILABLE"


def test_killed_meanwhile(url: URL, connection: Connection, classifier: ModuleType) -> None:
    process = connection.run("SELECT connection_id()")
    with connect(url, "pymysql", "raw") as other, ThreadPoolExecutor(1) as thread:
        error = thread.submit(connection.fails, "SELECT sleep(5)")
        sleeping = f"SELECT 1 FROM information_schema.processlist WHERE id = {process} AND info LIKE '%sleep%'"
        while not other.run(sleeping):
            pass
        other.run(f"KILL CONNECTION {process}")
        assert classifier.diagnose(error.result()).name == "UNAVAILABLE"


def test_missing(
    connection: Connection, how: tuple[str, str], build: Callable[..., ModuleType], classifier: ModuleType
) -> None:
    """Table and column: ours to wait for only where SQLAlchemy says that the statement was ours."""
    waits = "UNAVAILABLE" if how[1] == "sqlalchemy" else "OTHER"
    absent = build(("mariadb",), table="absent")
    for statement in (
        "INSERT INTO `absent` (`message_id`) VALUES (1)",
        "SELECT 1 \nFROM `absent` \nWHERE `absent`.`message_id` = 1 LOCK IN SHARE MODE",
    ):
        error = connection.fails(statement)
        assert (absent.diagnose(error).name, classifier.diagnose(error).name) == (waits, "OTHER")
    assert absent.diagnose(connection.fails("INSERT INTO `absent_too` (`a`) VALUES (1)")).name == "OTHER"
    error = connection.fails("INSERT INTO `inbox` (`state`) VALUES (1)")
    assert classifier.diagnose(error).name == waits


@pytest.mark.parametrize("problem", ["refused", "database", "user"])
def test_no_connection(url: URL, how: tuple[str, str], problem: str, classifier: ModuleType) -> None:
    broken = {
        "refused": url.set(port=1),
        "database": url.set(database="no_such_database"),
        "user": url.set(username="no_such_user", password="x"),
    }[problem]
    try:
        with connect(broken, *how):
            pass
    except Exception as error:
        caught = error
    assert classifier.diagnose(caught).name == "UNAVAILABLE"
