"""One message, two processes at once: shows that orders_inbox applies it once.

Runs on SQLite, in a file of its own, and on the database that ORDERS_INBOX_TEST_URL
names, as a URL of SQLAlchemy's. What it adds to that database, it removes again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import TypeVar
from uuid import UUID, uuid4

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import NullPool

sys.path.insert(0, str(Path(__file__).parents[1]))

from orders_inbox import MessageKey, Outcome, Verdict, classify
from orders_inbox.models import Base
from orders_inbox.runtime import consume

T = TypeVar("T")
URL = "ORDERS_INBOX_TEST_URL"
CONSUMERS = ("credit", "email")
INBOX = Base.metadata.tables["inbox_next"]


class Failed(Exception):
    """Raised by a handler that was told to fail."""


class Stage:
    """The database under test: the inbox, and a table of effects."""

    def __init__(self, table: str) -> None:
        self.engine = sa.create_engine(os.environ[URL], poolclass=NullPool)
        self.sessions = sessionmaker(self.engine)
        self.effects = sa.Table(
            table,
            sa.MetaData(),
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("reference", sa.String(250), unique=True),
            mysql_engine="InnoDB",
            mariadb_engine="InnoDB",
        )
        self.messages: list[UUID] = []

    def message(self) -> UUID:
        self.messages.append(uuid4())
        return self.messages[-1]

    def run(self, work: Callable[[sa.Connection], T]) -> T:
        with self.engine.begin() as connection:
            return work(connection)

    def create(self, connection: sa.Connection) -> None:
        self.adds_inbox = not sa.inspect(connection).has_table(INBOX.name, INBOX.schema)
        Base.metadata.create_all(connection)
        self.effects.create(connection)

    def remove(self, connection: sa.Connection) -> None:
        for message in self.messages:
            connection.execute(sa.delete(INBOX).where(*is_marker(message)))
        self.effects.drop(connection)
        if self.adds_inbox:
            Base.metadata.drop_all(connection)

    def counts(self, message: UUID) -> tuple[int, int]:
        """The number of all effects, and of the markers of `message`."""
        count = sa.select(sa.func.count())
        effects = count.select_from(self.effects)
        markers = count.select_from(INBOX).where(*is_marker(message))
        return self.run(
            lambda it: (
                it.execute(effects).scalar_one(),
                it.execute(markers).scalar_one(),
            )
        )

    def apply(self, session: Session, reference: str) -> None:
        session.execute(sa.insert(self.effects).values(reference=reference))

    def deliver(
        self,
        message: UUID,
        handler: Callable[[Session, str], None],
        reference: str = "",
        consumer: str = CONSUMERS[0],
    ) -> Outcome:
        reference = reference or uuid4().hex
        handled = consume(self.sessions, consumer, key_of(message), reference, handler)
        return handled.outcome

    def replica(self, message: UUID) -> Popen[bytes]:
        """Another process, which says how far it is with `message`; see main()."""
        command = [sys.executable, __file__, self.effects.name, str(message)]
        paths = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        return Popen(command, bufsize=0, stdin=PIPE, stdout=PIPE, env=paths)


def key_of(message: UUID) -> MessageKey:
    return MessageKey(event_id=message.hex)


def is_marker(message: UUID) -> list[sa.ColumnElement[bool]]:
    return [INBOX.c[name] == value for name, value in key_of(message).columns().items()]


def main(table: str, message: str) -> None:
    """Take `message`; before the commit, wait for the word to go on, or to fail."""
    stage = Stage(table)

    def handler(session: Session, reference: str) -> None:
        stage.apply(session, reference)
        print("claimed", flush=True)
        if sys.stdin.readline().strip() != "go on":
            raise Failed

    print("claiming", flush=True)
    try:
        print(stage.deliver(UUID(message), handler).name)
    except Failed:
        print("FAILED")


def race(stage: Stage, message: UUID, word: str) -> tuple[str, str]:
    """How two processes end if the second comes before the first has got its `word`."""
    with stage.replica(message) as first:
        assert (hear(first), hear(first)) == ("claiming", "claimed")
        with stage.replica(message) as second:
            assert hear(second) == "claiming"
            time.sleep(0.5)  # until it waits for the first one's transaction
            return tell(first, word), tell(second, "go on")


def hear(replica: Popen[bytes]) -> str:
    assert replica.stdout
    return replica.stdout.readline().decode().strip()


def tell(replica: Popen[bytes], word: str) -> str:
    return " ".join(replica.communicate(word.encode(), timeout=60)[0].decode().split())


@pytest.fixture(params=["SQLite", "server"])
def stage(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Stage]:
    if request.param == "SQLite":
        monkeypatch.setenv(URL, f"sqlite:///{tmp_path / 'race.sqlite'}")
    elif URL not in os.environ:
        pytest.skip(f"{URL} names no database")
    stage = Stage(f"race_{uuid4().hex}")
    stage.run(stage.create)
    yield stage
    stage.run(stage.remove)


def test_two_processes_apply_a_message_once(stage: Stage) -> None:
    message = stage.message()
    assert race(stage, message, "go on") == ("PROCESSED", "DUPLICATE")
    assert stage.counts(message) == (1, 1)


def test_the_second_process_applies_what_the_first_rolls_back(stage: Stage) -> None:
    message = stage.message()
    assert race(stage, message, "fail") == ("FAILED", "claimed PROCESSED")
    assert stage.counts(message) == (1, 1)


def test_a_failed_handler_leaves_nothing_and_the_retry_works(stage: Stage) -> None:
    message = stage.message()

    def fail(session: Session, reference: str) -> None:
        stage.apply(session, reference)
        raise Failed

    with pytest.raises(Failed):
        stage.deliver(message, fail)
    assert stage.counts(message) == (0, 0)
    assert stage.deliver(message, stage.apply) is Outcome.PROCESSED
    assert stage.counts(message) == (1, 1)


def test_every_consumer_applies_the_same_message(stage: Stage) -> None:
    message = stage.message()
    for consumer in CONSUMERS:
        outcome = stage.deliver(message, stage.apply, consumer=consumer)
        assert outcome is Outcome.PROCESSED
    assert stage.counts(message) == (len(CONSUMERS), len(CONSUMERS))


def test_a_duplicate_of_the_business_is_raised(stage: Stage) -> None:
    key = "ix_inbox_event_id_consumer"
    reference = f"1' for key '{key}', unique index '{key}'"
    first, second = stage.message(), stage.message()
    assert stage.deliver(first, stage.apply, reference) is Outcome.PROCESSED
    with pytest.raises(DBAPIError) as raised:
        stage.deliver(second, stage.apply, reference)
    assert classify(raised.value) is Verdict.CONFLICT
    assert stage.counts(second) == (1, 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
