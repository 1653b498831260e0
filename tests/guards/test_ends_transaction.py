"""A handler that ends the transaction is refused, and its message stays as if it had not been delivered."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.guards.delivery import PROCESSED, Counter, refused
from tests.guards.handlers import COMMITS, ROLLBACKS, after_applying, sending, sending_raw

EVERYWHERE = [
    "COMMIT",
    "commit work",
    "  Commit  ",
    "/* all is well */ COMMIT",
    "-- all is well\nCOMMIT",
    "ROLLBACK",
    "rollback work",
]
STANDARD = ["END", "END TRANSACTION", "ROLLBACK TRANSACTION"]
POSTGRESQL = [
    "ABORT",
    "COMMIT AND CHAIN",
    "ROLLBACK AND CHAIN",
    "PREPARE TRANSACTION 'credit'",
    "SELECT 1; COMMIT",
    "SELECT ';'; SELECT $$;$$; COMMIT; SELECT 1",
]
MARIADB = [
    "# all is well\nCOMMIT",
    "COMMIT AND CHAIN",
    "/*!50000 COMMIT */",
    "/*M!100000 COMMIT */",
    "BEGIN",
    "START TRANSACTION",
    "CREATE TABLE other (id INTEGER)",
    "create or replace table other (id INTEGER)",
    "DROP TABLE IF EXISTS other",
    "ALTER TABLE scratch COMMENT 'x'",
    "RENAME TABLE scratch TO scratch2, scratch2 TO scratch",
    "TRUNCATE TABLE scratch",
    "truncate scratch",
    "ANALYZE TABLE scratch",
    "ANALYZE LOCAL TABLE scratch",
    "EXECUTE IMMEDIATE 'COMMIT'",
    "SET DEFAULT ROLE NONE",
    "OPTIMIZE TABLE scratch",
    "LOCK TABLES scratch WRITE",
    "LOCK TABLE scratch WRITE",
    "UNLOCK TABLES",
    "FLUSH TABLES",
    "SET autocommit = 1",
    "set session autocommit=1",
    "SET LOCAL autocommit = 1",
    "SET @@autocommit = 1",
    "SET @@session.autocommit = 1",
    "SET @@local.autocommit = 1",
    "SET sql_mode = '', autocommit = 1",
    "SET @x = 1, @@autocommit = 1",
    "SET STATEMENT max_statement_time = 5 FOR COMMIT",
    "BEGIN NOT ATOMIC COMMIT; END",
]


@pytest.mark.parametrize("way", COMMITS)
def test_commit_is_refused(counter: Counter, way: str) -> None:
    assert counter.deliver(COMMITS[way]) == refused()
    counter.assert_intact()


@pytest.mark.parametrize("way", ROLLBACKS)
def test_rollback_is_refused(counter: Counter, way: str) -> None:
    ending = counter.deliver(ROLLBACKS[way])
    assert (ending.said, ending.credits, ending.markers) == ("AtomicityError", 0, 0)
    counter.assert_intact()


@pytest.mark.parametrize("sql", EVERYWHERE)
def test_ending_statement_is_refused(counter: Counter, sql: str) -> None:
    assert counter.deliver(sending(sql)) == refused()
    counter.assert_intact()


@pytest.mark.parametrize(
    ("on", "sql"),
    [
        *(("sqlite", sql) for sql in STANDARD),
        *(("postgresql", sql) for sql in [*STANDARD, *POSTGRESQL]),
        *(("mariadb", sql) for sql in MARIADB),
    ],
)
def test_ending_statement_of_an_engine_is_refused(counter_on: Callable[[str], Counter], on: str, sql: str) -> None:
    counter = counter_on(on)
    with counter.engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE IF NOT EXISTS scratch (id INTEGER)")
    assert counter.deliver(sending_raw(sql)) == refused()
    counter.assert_intact()


FINE = {
    "everywhere": [
        "SELECT 'COMMIT'",
        "SELECT 'a; COMMIT'",
        "SELECT 'it''s; ROLLBACK'",
        "SELECT 1 /* ; COMMIT */",
        "SELECT 1 -- ; COMMIT",
        "SELECT 1 AS committed",
        "UPDATE credits SET message = 'COMMIT' WHERE message = 'nobody'",
    ],
    "postgresql": [
        'SELECT 1 AS "; commit"',
        "SELECT $$; COMMIT$$",
        "SELECT $x$; COMMIT; $$ $x$",
        "CREATE TABLE fine (id INTEGER)",
    ],
    "sqlite": ['SELECT 1 AS "; commit"', "CREATE TABLE fine (id INTEGER)"],
    "mariadb": [
        "SELECT 1 AS `; commit`",
        r"SELECT 'it\'s; COMMIT'",
        "CREATE TEMPORARY TABLE fine (id INTEGER)",
        "CREATE OR REPLACE TEMPORARY TABLE fine (id INTEGER)",
        "DROP TEMPORARY TABLE IF EXISTS fine",
        "ANALYZE FORMAT=JSON SELECT 1",
        "SET @autocommit = 1",
        "SET SESSION max_statement_time = 100",
        "SET NAMES utf8mb4",
    ],
}


@pytest.mark.parametrize(
    ("on", "sql"),
    [(on, sql) for on in ("postgresql", "sqlite", "mariadb") for sql in [*FINE["everywhere"], *FINE[on]]],
)
def test_word_that_ends_nothing_is_no_statement(counter_on: Callable[[str], Counter], on: str, sql: str) -> None:
    assert counter_on(on).deliver(sending_raw(sql)) == PROCESSED


def test_procedure_that_commits_is_seen_too_late_to_undo(spoilt_on: Callable[[str], Counter]) -> None:
    """Only a savepoint that is gone tells of it: the error is raised, but the procedure has committed the marker."""
    counter = spoilt_on("mariadb")
    with counter.engine.begin() as connection:
        connection.exec_driver_sql("CREATE PROCEDURE settle() COMMIT")
    ending = counter.deliver(after_applying(lambda session: session.connection().exec_driver_sql("CALL settle()")))
    assert ending.said == "AtomicityError"
    assert "ended" in str(ending.error)


def test_backslash_escapes_where_it_does(counter_on: Callable[[str], Counter]) -> None:
    """What is a literal on MariaDB hides no statement on PostgreSQL, and the other way round."""
    assert counter_on("postgresql").deliver(sending_raw(r"SELECT '\'; COMMIT; SELECT '\'")) == refused()
    assert counter_on("mariadb").deliver(sending_raw(r"""SELECT "\"; COMMIT; " """)) == PROCESSED
