"""A table that takes no marker for a new message: never DUPLICATE, and the message waits until the table is mended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.guards.delivery import DUPLICATE, PROCESSED, Counter, Ending, refused

REFUSED = refused("RefusedWithoutMarker")
# What makes the table refuse, per engine, and what mends it.
SPOILERS: dict[str, tuple[str, list[str], list[str]]] = {
    "sequence behind its table": (
        "postgresql",
        ["SELECT setval(pg_get_serial_sequence('inbox', 'id'), 1, false)"],
        ["SELECT setval(pg_get_serial_sequence('inbox', 'id'), 1000)"],
    ),
    "trigger that returns NULL": (
        "postgresql",
        [
            "CREATE FUNCTION drop_it() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
            "CREATE TRIGGER t BEFORE INSERT ON inbox FOR EACH ROW EXECUTE FUNCTION drop_it()",
        ],
        ["DROP TRIGGER t ON inbox"],
    ),
    "rule": (
        "postgresql",
        ["CREATE RULE r AS ON INSERT TO inbox DO INSTEAD NOTHING"],
        ["DROP RULE r ON inbox"],
    ),
    "trigger that ignores": (
        "sqlite",
        ["CREATE TRIGGER t BEFORE INSERT ON inbox BEGIN SELECT RAISE(IGNORE); END"],
        ["DROP TRIGGER t"],
    ),
    "trigger that says it is our key": (
        "mariadb",
        [
            "CREATE TRIGGER t BEFORE INSERT ON inbox FOR EACH ROW SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062,"
            " MESSAGE_TEXT = 'Duplicate entry ''x'' for key ''ix_inbox_message_id_consumer'''"
        ],
        ["DROP TRIGGER t"],
    ),
    "foreign unique index on postgresql": (
        "postgresql",
        ["CREATE UNIQUE INDEX theirs ON inbox (consumer)"],
        ["DROP INDEX theirs"],
    ),
    "foreign unique index on mariadb": (
        "mariadb",
        ["CREATE UNIQUE INDEX theirs ON inbox (consumer)"],
        ["DROP INDEX theirs ON inbox"],
    ),
    "foreign unique index on sqlite": (
        "sqlite",
        ["CREATE UNIQUE INDEX theirs ON inbox (consumer)"],
        ["DROP INDEX theirs"],
    ),
}


def spoil(counter: Counter, statements: list[str]) -> None:
    with counter.engine.begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def refused_claim(counter: Counter, spoiler: str) -> Ending:
    """Deliver to a table that has a marker of another message, and refuses a new one."""
    assert Counter(counter.package, counter.engine).deliver() == PROCESSED
    spoil(counter, SPOILERS[spoiler][1])
    return counter.deliver()


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_new_message_is_refused_and_not_acknowledged(spoilt_on: Callable[[str], Counter], spoiler: str) -> None:
    on, _, mend = SPOILERS[spoiler]
    counter = spoilt_on(on)
    if spoiler == "sequence behind its table":
        # One claim more is within reach of a sequence that is one behind.
        for _ in range(5):
            Counter(counter.package, counter.engine).deliver()
    assert refused_claim(counter, spoiler) == REFUSED
    spoil(counter, mend)
    counter.assert_intact()


@pytest.mark.parametrize("spoiler", SPOILERS)
def test_duplicate_stays_a_duplicate(spoilt_on: Callable[[str], Counter], spoiler: str) -> None:
    on, statements, _ = SPOILERS[spoiler]
    counter = spoilt_on(on)
    assert counter.deliver() == PROCESSED
    spoil(counter, statements)
    assert counter.deliver() == DUPLICATE


def test_trigger_that_fails_is_raised(spoilt_on: Callable[[str], Counter]) -> None:
    counter = spoilt_on("mariadb")
    spoil(counter, ["CREATE TRIGGER t BEFORE INSERT ON inbox FOR EACH ROW SIGNAL SQLSTATE '45000'"])
    ending = counter.deliver()
    assert (ending.credits, ending.markers) == (0, 0)
    assert counter.package.classify(ending.error).name == "OTHER"
    spoil(counter, ["DROP TRIGGER t"])
    counter.assert_intact()
