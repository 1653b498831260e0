"""From the exception that was caught to the driver's own: what is looked at, and what never is."""

from __future__ import annotations

import asyncio
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from types import ModuleType

import pytest
from sqlalchemy import create_engine, exc
from sqlalchemy.pool import QueuePool

from tests.classifier import shapes

OURS = "UNIQUE constraint failed: inbox.message_id, inbox.consumer"


@pytest.fixture(scope="module")
def classifier(build: Callable[..., ModuleType]) -> ModuleType:
    return build()


@pytest.fixture
def duplicate() -> Exception:
    return shapes.sqlite3(2067, OURS)


def _raised_from(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def test_verdicts(classifier: ModuleType, duplicate: Exception) -> None:
    assert classifier.classify(duplicate) is classifier.Verdict.DUPLICATE
    assert classifier.classify(shapes.sqlite3(2067, "UNIQUE constraint failed: a.b")) is classifier.Verdict.CONFLICT
    for code in (5, 517, 13):
        assert classifier.classify(shapes.sqlite3(code)) is classifier.Verdict.TRANSIENT
    assert classifier.classify(shapes.sqlite3(1)) is classifier.Verdict.OTHER
    assert classifier.classify(shapes.sqlite3(19, OURS)) is classifier.Verdict.OTHER
    assert {verdict.name for verdict in classifier.Verdict} == {"DUPLICATE", "CONFLICT", "TRANSIENT", "OTHER"}


def test_wrapped(classifier: ModuleType, duplicate: Exception) -> None:
    once = exc.IntegrityError("INSERT", {}, duplicate)
    twice = exc.DBAPIError("INSERT", {}, once)
    for error in (once, twice, _raised_from(RuntimeError("mine"), twice)):
        assert classifier.diagnose(error).name == "UNIQUE_OURS"


def test_sqlalchemys_adapter_is_not_the_driver(classifier: ModuleType) -> None:
    """SQLAlchemy 2.0 has asyncpg's exception as the adapter's cause, 2.1 as its `orig` too; the name is there alone."""
    driver = shapes.asyncpg("23505", table_name="inbox", constraint_name=shapes.KEY, schema_name="public")
    adapter = shapes._bare("sqlalchemy.dialects.postgresql.asyncpg", "IntegrityError", "text", sqlstate="23505")
    assert classifier.diagnose(exc.IntegrityError("INSERT", {}, adapter)).name == "OTHER"
    adapter.__cause__ = driver
    assert classifier.diagnose(exc.IntegrityError("INSERT", {}, adapter)).name == "UNIQUE_OURS"
    adapter.__cause__, adapter.orig = None, driver  # type: ignore[attr-defined]
    assert classifier.diagnose(exc.IntegrityError("INSERT", {}, adapter)).name == "UNIQUE_OURS"


def test_what_was_being_handled_is_not_looked_at(classifier: ModuleType, duplicate: Exception) -> None:
    error = RuntimeError("mine")
    error.__context__ = duplicate
    assert classifier.diagnose(error).name == "OTHER"


def test_a_cycle_ends(classifier: ModuleType) -> None:
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert classifier.diagnose(first).name == "OTHER"
    first.orig = first  # type: ignore[attr-defined]
    assert classifier.diagnose(first).name == "OTHER"


def test_a_group_is_not_opened(classifier: ModuleType, duplicate: Exception) -> None:
    assert classifier.diagnose(ExceptionGroup("tasks", [duplicate])).name == "OTHER"


@pytest.mark.parametrize("text", [OURS, "(2627) (SQLExecDirectW)", "deadlock 40P01 1213"])
def test_no_text_but_the_drivers(text: str, classifier: ModuleType) -> None:
    harmless = shapes.sqlite3(1299, "NOT NULL constraint failed: inbox.consumer")
    wrapped = exc.IntegrityError(f"INSERT INTO x VALUES ('{text}')", {"value": text}, harmless)
    assert text in str(wrapped)
    for error in (wrapped, RuntimeError(text), exc.InvalidRequestError(text), KeyError(2627), OSError(1213, text)):
        assert classifier.diagnose(error).name == "OTHER"


def test_a_strangers_attributes_are_not_read(classifier: ModuleType) -> None:
    attributes = {"sqlstate": "40001", "errno": 1213, "number": 1205, "sqlite_errorcode": 5, "pgcode": "40001"}
    for module in ("httpx", "psycopg_pool", "sqlite3x", "my.sqlite3", "mysqlx", "builtins"):
        assert classifier.diagnose(shapes._bare(module, "OperationalError", 1213, **attributes)).name == "OTHER"


def test_pool_exhausted(classifier: ModuleType) -> None:
    engine = create_engine("sqlite://", poolclass=QueuePool, pool_size=1, max_overflow=0, pool_timeout=0.01)
    with engine.connect(), pytest.raises(exc.TimeoutError) as caught:
        engine.connect()
    assert classifier.diagnose(caught.value).name == "UNAVAILABLE"
    assert classifier.classify(caught.value) is classifier.Verdict.TRANSIENT


def test_connection_invalidated(classifier: ModuleType, duplicate: Exception) -> None:
    """SQLAlchemy knows lost connections that the driver gives no code for."""
    unknown = shapes.sqlite3(0, "?")
    lost = exc.DBAPIError("SELECT 1", {}, unknown, connection_invalidated=True)
    assert classifier.diagnose(lost).name == "UNAVAILABLE"
    assert classifier.diagnose(exc.DBAPIError("SELECT 1", {}, unknown)).name == "OTHER"
    foreign = exc.DBAPIError("SELECT 1", {}, RuntimeError("?"), connection_invalidated=True)
    assert classifier.diagnose(foreign).name == "UNAVAILABLE"
    known = exc.DBAPIError("SELECT 1", {}, duplicate, connection_invalidated=True)
    assert classifier.diagnose(known).name == "UNIQUE_OURS"


def test_handlers_own_network_trouble(classifier: ModuleType) -> None:
    """A refused or slow call of the handler's is not the database's."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    with pytest.raises(ConnectionRefusedError) as refused:
        socket.create_connection(("127.0.0.1", port))
    with pytest.raises(urllib.error.URLError) as http:
        urllib.request.urlopen(f"http://127.0.0.1:{port}")

    async def slow() -> None:
        await asyncio.wait_for(asyncio.sleep(9), 0.01)

    with pytest.raises(TimeoutError) as timed_out:
        asyncio.run(slow())
    for error in (refused.value, http.value, timed_out.value, _raised_from(RuntimeError("mine"), refused.value)):
        assert classifier.diagnose(error).name == "OTHER"


def test_asyncpgs_network_trouble(build: Callable[..., ModuleType]) -> None:
    """asyncpg raises the same ConnectionRefusedError and TimeoutError bare, through SQLAlchemy too."""
    asyncpg = pytest.importorskip("asyncpg")
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        port = deaf.getsockname()[1]
        with pytest.raises(ConnectionRefusedError) as refused:
            asyncio.run(asyncpg.connect(host="127.0.0.1", port=port, user="x"))
        deaf.listen()
        with pytest.raises(TimeoutError) as timed_out:
            asyncio.run(asyncpg.connect(host="127.0.0.1", port=port, user="x", timeout=0.1))
    with_asyncpg, without = build(("postgresql",), ("asyncpg",)), build(("postgresql",), ("psycopg",))
    for error in (refused.value, timed_out.value):
        assert with_asyncpg.diagnose(error).name == "UNAVAILABLE"
        assert without.diagnose(error).name == "OTHER"
