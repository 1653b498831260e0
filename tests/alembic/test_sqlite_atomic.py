"""A revision that is killed half-way on SQLite leaves nothing, whatever the user's engine does about transactions."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import pytest

from tests.alembic.projects import FIRST, add_first_revision, alembic, make_inbox, write

ENGINES = {
    "sqlite3's own way": 'engine = create_engine("sqlite:///test.sqlite")',
    "autocommit": 'engine = create_engine("sqlite:///test.sqlite", isolation_level="AUTOCOMMIT")',
    # https://docs.sqlalchemy.org/en/20/dialects/sqlite.html#serializable-isolation-savepoints-transactional-ddl
    "the begin event": """
engine = create_engine("sqlite:///test.sqlite")
event.listen(engine, "connect", lambda driver, record: setattr(driver, "isolation_level", None))
event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
""",
}

SYNC = """
from alembic import context
from sqlalchemy import create_engine, event
{engine}
with engine.{connect}() as connection:
    context.configure(connection=connection, transaction_per_migration={each})
    with context.begin_transaction():
        context.run_migrations()
"""

ASYNC = """
import asyncio
from alembic import context
from sqlalchemy.ext.asyncio import create_async_engine
def run(connection):
    context.configure(connection=connection, transaction_per_migration={each})
    with context.begin_transaction():
        context.run_migrations()
async def main():
    engine = create_async_engine("sqlite+aiosqlite:///test.sqlite")
    async with engine.connect() as connection:
        await connection.run_sync(run)
    await engine.dispose()
asyncio.run(main())
"""

KILL = """
import os, signal
from sqlalchemy import event
from sqlalchemy.engine import Engine
@event.listens_for(Engine, "after_cursor_execute")
def kill(connection, cursor, statement, parameters, context, many):
    if statement.startswith({prefix!r}):
        os.kill(os.getpid(), signal.SIGKILL)
"""

SCHEMA = "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE '%alembic%' ORDER BY 1"


def read(root: Path, query: str) -> list[str]:
    connection = sqlite3.connect(root / "test.sqlite")
    try:
        return [row[0] for row in connection.execute(query)]
    finally:
        connection.close()


def check_killed(root: Path, env: str) -> None:
    inbox = make_inbox()
    write(root, {"alembic.ini": "[alembic]\nscript_location = %(here)s/m\n", "m/env.py": env, "m/versions/.keep": ""})
    add_first_revision(root, inbox)

    killed = alembic(root, "upgrade head", before=KILL.format(prefix='CREATE TABLE "inbox"'))
    assert killed.status == -signal.SIGKILL, killed.stderr
    assert read(root, SCHEMA) == []

    done = alembic(root, "upgrade head")
    assert done.status == 0, done.stderr
    assert read(root, SCHEMA) == ["inbox", "uq_inbox_message_id_consumer"]
    assert read(root, "SELECT version_num FROM alembic_version") == [FIRST]

    killed = alembic(root, "downgrade base", before=KILL.format(prefix="DROP TABLE"))
    assert killed.status == -signal.SIGKILL, killed.stderr
    assert read(root, SCHEMA) == ["inbox", "uq_inbox_message_id_consumer"]


@pytest.mark.parametrize("each", [True, False])
@pytest.mark.parametrize("connect", ["connect", "begin"])
@pytest.mark.parametrize("engine", ENGINES)
def test_killed_with_sqlite3(tmp_path: Path, engine: str, connect: str, each: bool) -> None:
    check_killed(tmp_path, SYNC.format(engine=ENGINES[engine], connect=connect, each=each))


@pytest.mark.parametrize("each", [True, False])
def test_killed_with_aiosqlite(tmp_path: Path, each: bool) -> None:
    check_killed(tmp_path, ASYNC.format(each=each))


def test_a_revision_that_fails_leaves_nothing(tmp_path: Path) -> None:
    inbox = make_inbox()
    env = SYNC.format(engine=ENGINES["sqlite3's own way"], connect="connect", each=False)
    write(tmp_path, {"alembic.ini": "[alembic]\nscript_location = %(here)s/m\n", "m/env.py": env, "m/versions/.k": ""})
    add_first_revision(tmp_path, inbox)
    connection = sqlite3.connect(tmp_path / "test.sqlite")
    connection.execute("CREATE TABLE uq_inbox_message_id_consumer (a INT)")
    connection.close()

    ran = alembic(tmp_path, "upgrade head")

    assert "there is already a table named uq_inbox_message_id_consumer" in ran.stderr
    assert read(tmp_path, SCHEMA) == ["uq_inbox_message_id_consumer"]
