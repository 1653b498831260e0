"""The downgrade that would drop the inbox is refused while a message could still come again."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, inspect, text

from inboxgen.changes.sql import MOMENT_AGO
from inboxgen.model import Dialect, Retention
from inboxgen.schema import DIALECTS
from tests.alembic.projects import (
    Ran,
    add_first_revision,
    alembic,
    make_inbox,
    write_init_environment,
    write_package,
)

WINDOW = 10_000  # seconds


def upgraded(root: Path, url: URL, *, retention: Retention | None) -> None:
    inbox = make_inbox(retention=retention)
    write_package(root, inbox)
    write_init_environment(root, inbox)
    add_first_revision(root, inbox)
    ran = run(root, url, "upgrade head")
    assert ran.status == 0, ran.stderr


def run(root: Path, url: URL, *commands: str) -> Ran:
    return alembic(root, *commands, env={"DATABASE_URL": url.render_as_string(hide_password=False)})


def mark(url: URL, received: int, processed: int | None) -> None:
    """Add a marker, its moments in seconds ago, by the server's own clock as the runtime does."""
    dialect = Dialect(url.get_backend_name())

    def ago(seconds: int | None) -> str:
        if seconds is None:
            return "NULL"
        return MOMENT_AGO[dialect].replace("{seconds}", str(seconds)) if seconds else DIALECTS[dialect].CLOCK

    statement = (
        "INSERT INTO inbox (message_id, consumer, received_at, processed_at)"
        f" VALUES ('m{received}', 'credit', {ago(received)}, {ago(processed)})"
    )
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(statement.replace(":", r"\:")))
    engine.dispose()


def has_inbox(url: URL) -> bool:
    engine = create_engine(url)
    try:
        return inspect(engine).has_table("inbox")
    finally:
        engine.dispose()


@pytest.mark.parametrize(("received", "processed"), [(0, 0), (WINDOW - 60, None), (2 * WINDOW, WINDOW - 60)], ids=str)
def test_refused_while_a_marker_is_inside_the_window(
    tmp_path: Path, engine_url: URL, received: int, processed: int | None
) -> None:
    upgraded(tmp_path, engine_url, retention=Retention(timedelta(seconds=WINDOW), ""))
    mark(engine_url, received, processed)

    ran = run(tmp_path, engine_url, "downgrade base")

    assert ran.status == 255
    assert "inbox holds a marker younger than 10000 seconds" in ran.stdout + ran.stderr
    assert "alembic -x drop_inbox=inbox downgrade" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    assert has_inbox(engine_url)


def test_goes_when_every_marker_is_older(tmp_path: Path, engine_url: URL) -> None:
    upgraded(tmp_path, engine_url, retention=Retention(timedelta(seconds=WINDOW), ""))
    mark(engine_url, WINDOW + 60, None)
    mark(engine_url, WINDOW + 90, WINDOW + 60)

    ran = run(tmp_path, engine_url, "downgrade base")

    assert ran.status == 0, ran.stderr
    assert not has_inbox(engine_url)


def test_without_a_retention_every_marker_counts(tmp_path: Path, engine_url: URL) -> None:
    upgraded(tmp_path, engine_url, retention=None)
    mark(engine_url, 400 * 86_400, 400 * 86_400)

    refused = run(tmp_path, engine_url, "downgrade base")
    assert "inbox holds a marker:" in refused.stdout + refused.stderr
    assert has_inbox(engine_url)

    other = run(tmp_path, engine_url, "-x drop_inbox=outbox downgrade base")
    assert other.status == 255
    assert has_inbox(engine_url)

    asked = run(tmp_path, engine_url, "-x drop_inbox=inbox downgrade base")
    assert asked.status == 0, asked.stderr
    assert not has_inbox(engine_url)


def test_waits_for_a_marker_that_is_not_committed_yet(tmp_path: Path, postgresql_url: URL) -> None:
    """An EXISTS beside the writer would see nothing, and the DROP would then wait for the commit, and go on."""
    url = postgresql_url.set(drivername="postgresql+psycopg")
    upgraded(tmp_path, url, retention=None)
    waits = text("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'inbox'::regclass")
    engine = create_engine(url)
    with ThreadPoolExecutor() as pool, engine.connect() as writer:
        writer.execute(text("INSERT INTO inbox (message_id, consumer, received_at) VALUES ('m', 'credit', now())"))
        downgrade = pool.submit(run, tmp_path, url, "downgrade base")
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as watcher:
            deadline = time.monotonic() + 60
            while not watcher.execute(waits).scalar_one():
                assert time.monotonic() < deadline, "the downgrade does not wait"
                time.sleep(0.05)
        writer.commit()
        assert downgrade.result(timeout=60).status == 255
    engine.dispose()
    assert has_inbox(url)
