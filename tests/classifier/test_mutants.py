"""Would the tests notice? One small mistake at a time in the rendered classifier, each seen by recorded exceptions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from sqlalchemy import exc

from tests.classifier import shapes
from tests.classifier.rendered import load, make_inbox, sources
from tests.classifier.shapes import KEY, refusal

LITE = "UNIQUE constraint failed: inbox.message_id, inbox.consumer"
OWN = 'INSERT INTO "inbox" ("message_id") VALUES (?)'
OWN_MSSQL = "SELECT 1 \nFROM [inbox] WITH (READCOMMITTEDLOCK) \nWHERE 1"


def _sent(statement: str, error: Exception, *, lost: bool = False) -> Exception:
    return exc.DBAPIError(statement, {}, error, connection_invalidated=lost)


def _chained(**links: BaseException) -> Exception:
    error = RuntimeError("mine")
    for name, link in links.items():
        setattr(error, f"__{name}__", link)
    return error


def _cases() -> list[tuple[Callable[[], BaseException], str]]:
    postgresql = {"table_name": "inbox", "constraint_name": KEY, "schema_name": "public"}
    english, spoof = refusal("en index"), f"x' with unique index '{KEY}'. y"
    return [
        (lambda: shapes.sqlite3(2067, LITE), "UNIQUE_OURS"),
        (lambda: shapes.sqlite3(2067, LITE.replace("inbox.", "inbox_archive.")), "UNIQUE_OTHER"),
        (lambda: shapes.sqlite3(2067, "x" + LITE), "UNIQUE_OTHER"),
        (lambda: shapes.sqlite3(2067, LITE + ", inbox.more"), "UNIQUE_OTHER"),
        (lambda: shapes.sqlite3(1555, "UNIQUE constraint failed: inbox.id"), "UNIQUE_OTHER"),
        (lambda: shapes.sqlite3(1811, LITE), "OTHER"),
        (lambda: shapes.sqlite3(517), "RETRY"),
        (lambda: shapes.sqlite3(261), "LOCK_WAIT"),
        (lambda: shapes.sqlite3(13), "UNAVAILABLE"),
        (lambda: shapes.sqlite3(8), "OTHER"),
        (lambda: shapes.sqlite3(1), "OTHER"),
        (lambda: _sent(OWN, shapes.sqlite3(1)), "UNAVAILABLE"),
        (lambda: _sent(f"SELECT '{OWN}'", shapes.sqlite3(1)), "OTHER"),
        (lambda: _sent(OWN.replace("inbox", "inbox_archive"), shapes.sqlite3(1)), "OTHER"),
        (lambda: _sent('SELECT 1 \nFROM "inbox" JOIN "x" ON 1', shapes.sqlite3(1)), "OTHER"),
        (lambda: _sent(OWN_MSSQL, shapes.pytds(208)), "UNAVAILABLE"),
        (lambda: _sent("SELECT 1", shapes.sqlite3(0), lost=True), "UNAVAILABLE"),
        (lambda: _sent("SELECT 1", RuntimeError(), lost=True), "UNAVAILABLE"),
        (lambda: _sent("SELECT 1", shapes.sqlite3(2067, LITE), lost=True), "UNIQUE_OURS"),
        (lambda: _chained(cause=_sent(OWN, shapes.sqlite3(2067, LITE))), "UNIQUE_OURS"),
        (lambda: _chained(context=shapes.sqlite3(2067, LITE)), "OTHER"),
        (lambda: exc.TimeoutError(), "UNAVAILABLE"),
        (lambda: ConnectionRefusedError(), "OTHER"),
        (lambda: shapes._bare("other.sqlite3", "Error", LITE, sqlite_errorcode=2067), "OTHER"),
        (lambda: shapes.psycopg("23505", **postgresql), "UNIQUE_OURS"),
        (lambda: shapes.psycopg("23505", **postgresql | {"table_name": "orders"}), "UNIQUE_OTHER"),
        (lambda: shapes.psycopg("23505", **postgresql | {"constraint_name": KEY[:-1]}), "UNIQUE_OTHER"),
        (lambda: shapes.asyncpg("23505", **postgresql), "UNIQUE_OURS"),
        (lambda: shapes.pg8000("23505", t="inbox", n=KEY), "UNIQUE_OURS"),
        (lambda: shapes.psycopg("40001"), "RETRY"),
        (lambda: shapes.psycopg("40P01"), "RETRY"),
        (lambda: shapes.psycopg("55P03"), "LOCK_WAIT"),
        (lambda: shapes.psycopg("57P01"), "UNAVAILABLE"),
        (lambda: shapes.psycopg("25006"), "UNAVAILABLE"),
        (lambda: shapes.psycopg("25P02"), "OTHER"),
        (lambda: shapes.psycopg("23502"), "OTHER"),
        (lambda: shapes.psycopg("0A000"), "OTHER"),
        (lambda: shapes.psycopg("0A000", source_function="RevalidateCachedQuery"), "UNAVAILABLE"),
        (lambda: shapes.psycopg("XX000", source_function="RevalidateCachedQuery"), "OTHER"),
        (lambda: shapes.psycopg(None, "OperationalError"), "UNAVAILABLE"),
        (lambda: shapes.psycopg(None, "DataError"), "OTHER"),
        (lambda: shapes.pymysql(1062, f"Duplicate entry 'm' for key '{KEY}'"), "UNIQUE_OURS"),
        (lambda: shapes.pymysql(1586, f"Duplicate entry 'm' for key 'inbox.{KEY}'"), "UNIQUE_OURS"),
        (lambda: shapes.pymysql(1062, f"Duplicate entry '{KEY}' for key 'uq_orders'"), "UNIQUE_OTHER"),
        (lambda: shapes.pymysql(1062, f"Duplicate entry 'm' for key 'orders.{KEY}'"), "UNIQUE_OTHER"),
        (lambda: shapes.pymysql(1062, f"Duplicate entry 'm' for key 'x{KEY}'"), "UNIQUE_OTHER"),
        (lambda: shapes.pymysql(1062, f"Klíč 'm' (číslo '{KEY}') je"), "UNIQUE_OURS"),
        (lambda: shapes.mariadb(1062, f"Duplicate entry 'm' for key '{KEY}'"), "UNIQUE_OURS"),
        (lambda: shapes.pymysql(1205), "LOCK_WAIT"),
        (lambda: shapes.pymysql(1213), "RETRY"),
        (lambda: shapes.pymysql(1020), "RETRY"),
        (lambda: shapes.pymysql(1290), "UNAVAILABLE"),
        (lambda: shapes.pyodbc(*english), "UNIQUE_OURS"),
        (lambda: shapes.pyodbc_windows(*refusal("en constraint")), "UNIQUE_OURS"),
        (lambda: shapes.pyodbc(*refusal("en index", value="). (1205) (SQLExecDirectW); [x")), "UNIQUE_OURS"),
        (lambda: shapes.pyodbc(*refusal("en index", key="uq_orders", value=spoof)), "UNIQUE_OTHER"),
        (lambda: shapes.pyodbc(*refusal("en index", key="uq_orders", value=english[1])), "UNIQUE_OTHER"),
        (lambda: shapes.pyodbc(*refusal("en index", table="dbo.inbox_archive")), "UNIQUE_OTHER"),
        (lambda: shapes.pyodbc(*refusal("en index", table="dbo.xinbox")), "UNIQUE_OTHER"),
        (lambda: shapes.pyodbc(515, f"NULL {english[1]}"), "OTHER"),
        (lambda: shapes.pyodbc(1205, state="40001"), "RETRY"),
        (lambda: shapes.pyodbc(0, state="08S01"), "UNAVAILABLE"),
        (lambda: shapes.pymssql(*english), "UNIQUE_OURS"),
        (lambda: shapes.pymssql_batch(*english), "UNIQUE_OURS"),
        (lambda: shapes.pytds(*english), "UNIQUE_OURS"),
        (lambda: shapes.pytds(3960), "RETRY"),
        (lambda: shapes.pytds(40613), "UNAVAILABLE"),
        (lambda: shapes.pytds(1505, english[1]), "OTHER"),
        (lambda: shapes.mssql_python(english[1]), "UNIQUE_OURS"),
        (lambda: shapes.mssql_python(english[1], "Syntax error or access violation"), "OTHER"),
        (lambda: shapes.mssql_python("The INSERT statement conflicted with the CHECK constraint"), "OTHER"),
        (lambda: shapes.mssql_python(refusal("en index", key="u", value="CHECK")[1]), "UNIQUE_OTHER"),
        (lambda: shapes.mssql_python("Lock request time out period exceeded.", "Syntax error"), "LOCK_WAIT"),
    ]


def _failures(classifier: ModuleType) -> list[str]:
    failures = []
    for number, (make, expected) in enumerate(_cases()):
        error = make()
        try:
            found = classifier.diagnose(error).name
        except Exception as crash:
            found = repr(crash)
        if found != expected:
            failures.append(f"{number}: {error!r}: {found}, not {expected}")
    if classifier.classify(shapes.sqlite3(2067, LITE)) is not classifier.Verdict.DUPLICATE:
        failures.append("the verdict on our key")
    if classifier.classify(shapes.sqlite3(2067, "x")) is not classifier.Verdict.CONFLICT:
        failures.append("the verdict on another key")
    if classifier.classify(RuntimeError()) is not classifier.Verdict.OTHER:
        failures.append("the verdict on what is not known")
    return failures


CLASSIFIER = "classifier.py"
POSTGRESQL = "errors/postgresql.py"
SQLITE = "errors/sqlite.py"
MYSQL = "errors/mysql.py"
MSSQL = "errors/mssql.py"
MUTANTS = [
    (SQLITE, 'split(".")[0]', 'split(".")[-1]'),
    (CLASSIFIER, "UNIQUE_OTHER: Verdict.CONFLICT", "UNIQUE_OTHER: Verdict.DUPLICATE"),
    (CLASSIFIER, ".get(diagnose(error), Verdict.OTHER)", ".get(diagnose(error), Verdict.DUPLICATE)"),
    (CLASSIFIER, "link.__cause__", "link.__context__"),
    (CLASSIFIER, "link.__cause__", "None"),
    (CLASSIFIER, 'getattr(link, "orig", None)', "None"),
    (CLASSIFIER, "link.connection_invalidated", "False"),
    (CLASSIFIER, "if lost and fault is Fault.OTHER else", "if lost else"),
    (CLASSIFIER, "return Fault.UNAVAILABLE if lost else Fault.OTHER", "return Fault.OTHER"),
    (CLASSIFIER, "if sent_by_us else", "if link else"),
    (CLASSIFIER, "if sent_by_us else", "if not link else"),
    (CLASSIFIER, "_OUR_STATEMENT.match(", "_OUR_STATEMENT.search("),
    (CLASSIFIER, "(?:{_TABLE}) [(\\nW]", "(?:{_TABLE}) "),
    (CLASSIFIER, "[(\\nW]", "[(\\n]"),
    (CLASSIFIER, "isinstance(link, exc.TimeoutError)", "isinstance(link, TimeoutError)"),
    (CLASSIFIER, " and _is_connecting(link)", ""),
    (POSTGRESQL, 'table == "inbox" and ', ""),
    (POSTGRESQL, " and key in _KEYS", ""),
    (POSTGRESQL, "key in _KEYS", "any(key in known for known in _KEYS)"),
    (POSTGRESQL, '("40001", "40P01")', '("40001",)'),
    (POSTGRESQL, '"55P03"', '"55P04"'),
    (POSTGRESQL, '"25006", "25P03"', '"25", "25P03"'),
    (POSTGRESQL, '"57"', '"23"'),
    (POSTGRESQL, 'state == "0A000" and ', ""),
    (POSTGRESQL, ' and routine == "RevalidateCachedQuery"', ""),
    (POSTGRESQL, '("C", "t", "n", "R")', '("C", "n", "t", "R")'),
    (POSTGRESQL, 'diag: object = getattr(error, "diag", None)', "diag: object = error"),
    (POSTGRESQL, "Fault.UNAVAILABLE if lost or", "Fault.UNAVAILABLE if error or"),
    (SQLITE, "str(error) in _OURS", "any(ours in str(error) for ours in _OURS)"),
    (SQLITE, "str(error) in _OURS", "any(str(error).startswith(ours) for ours in _OURS)"),
    (SQLITE, "str(error) in _OURS", "any(str(error).endswith(ours) for ours in _OURS)"),
    (SQLITE, "if code in _UNIQUE", "if code & 0xFF == 19"),
    (SQLITE, "517: Fault.RETRY", "516: Fault.RETRY"),
    (SQLITE, "code & 0xFF", "code"),
    (SQLITE, "(10, 13, 14, 15)", "(8, 10, 13, 14, 15)"),
    (MYSQL, "(1062, 1586)", "(1062,)"),
    (MYSQL, '.rfind("\'")', '.find("\'")'),
    (MYSQL, 'text[: text.rfind("\'") + 1]', "text"),
    (MYSQL, ".endswith(_OURS)", ".count(_OURS[0])"),
    (MYSQL, f"(\"'{KEY}'\"", f'("{KEY}\'"'),
    (MYSQL, f"\"'inbox.{KEY}'\"", f'".{KEY}\'"'),
    (MYSQL, "(1205, 3572), Fault.LOCK_WAIT", "(1205, 3572), Fault.RETRY"),
    (MYSQL, "(1213, 1020)", "(1213,)"),
    (MYSQL, "(1290, 1792, 1836)", "(1792, 1836)"),
    (MYSQL, 'getattr(error, "errno", number)', "number"),
    (MSSQL, "numbers[-1]", "numbers[0]"),
    (MSSQL, r"\((-?\d+)\) \(SQL\w+\)", r"\((-?\d+)\)"),
    (MSSQL, "_OURS.match(text)", "_OURS.search(text)"),
    (MSSQL, "_OURS.match(text)", "_KEY in text"),
    (MSSQL, r"'{_KEY}'\.", "'"),
    (MSSQL, r"in object '{_TABLE}' with", r"in object '{_TABLE}.*' with"),
    (MSSQL, r"(?:[^\s.'\"]+\.)?", r"(?:[^\s'\"]*)?"),
    (MSSQL, "(2601, 2627)", "(2601,)"),
    (MSSQL, "(2601, 2627)", "(2601, 2627, 1505)"),
    (MSSQL, "(1205, 3960, 41301", "(1205, 41301"),
    (MSSQL, "1222: Fault.LOCK_WAIT", "1222: Fault.RETRY"),
    (MSSQL, "40540, 40544, 40613", "40540, 40544"),
    (MSSQL, 'state.startswith(("08", "HYT"))', 'state == "08"'),
    (MSSQL, "isinstance(parts[0], tuple)", "isinstance(parts[0], list)"),
    (MSSQL, 'text.decode(errors="replace") if isinstance(text, bytes) else text', "str(text)"),
    (MSSQL, 'getattr(error, "number", 0)', "0"),
    (MSSQL, 'text.partition("(")[0]', "text"),
    (MSSQL, "|CHECK|", "|"),
    (MSSQL, '_ORIGIN.sub("", text)', "text"),
]


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return sources(make_inbox())


def test_unchanged(tmp_path: Path, files: dict[str, str]) -> None:
    assert _failures(load(tmp_path, files)) == []


@pytest.mark.parametrize(("path", "before", "after"), MUTANTS)
def test_mutant_is_noticed(path: str, before: str, after: str, tmp_path: Path, files: dict[str, str]) -> None:
    assert before in files[path], "the mutation has nothing to change any more"
    mutant = files | {path: files[path].replace(before, after)}
    assert _failures(load(tmp_path, mutant))
