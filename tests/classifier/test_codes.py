"""Every code that the classifier knows, with where it is documented, for what no test can make a server say."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
from sqlalchemy import exc

from tests.classifier import shapes
from tests.classifier.shapes import KEY, NUMBERED

APPENDIX = "https://www.postgresql.org/docs/current/errcodes-appendix.html"
MYSQL_SERVER = "https://dev.mysql.com/doc/mysql-errors/en/server-error-reference.html"
MYSQL_CLIENT = "https://dev.mysql.com/doc/mysql-errors/en/client-error-reference.html"
MARIADB_CODES = "https://mariadb.com/docs/server/reference/error-codes"
GALERA = "https://mariadb.com/docs/reference/mdb/status-variables/wsrep_cluster_status/"
RESULT_CODES = "https://sqlite.org/rescode.html"
ENGINE_ERRORS = "https://learn.microsoft.com/sql/relational-databases/errors-events/database-engine-events-and-errors"
SQL_CLIENT = "https://learn.microsoft.com/dotnet/api/microsoft.data.sqlclient.sqlconfigurableretryfactory.baselinetransienterrors"
EF_CORE = (
    "https://github.com/dotnet/efcore: src/EFCore.SqlServer/Storage/Internal/SqlServerTransientExceptionDetector.cs"
)
AZURE = "https://learn.microsoft.com/azure/azure-sql/database/troubleshoot-common-errors-issues"
AVAILABILITY = "https://learn.microsoft.com/sql/database-engine/availability-groups/windows"

POSTGRESQL = [
    (APPENDIX, "40001 40P01", "RETRY"),
    (APPENDIX, "55P03", "LOCK_WAIT"),
    (APPENDIX, "08000 08001 08003 08004 08006 08P01", "UNAVAILABLE"),
    (APPENDIX, "25006 25P03 25P04 26000 42P05", "UNAVAILABLE"),
    (APPENDIX, "28000 28P01 3D000", "UNAVAILABLE"),
    (APPENDIX, "53000 53100 53200 53300 53400", "UNAVAILABLE"),
    (APPENDIX, "57014 57P01 57P02 57P03 57P05 58000 58030", "UNAVAILABLE"),
    (APPENDIX, "3F000 42P01 42501 42703", "UNDEPLOYED"),
    (APPENDIX, "0A000 22001 22P02 23000 23502 23503 23514 23P01 25P02 42601 54000 P0001 XX000", "OTHER"),
    (APPENDIX, "40002 40003 55006 42P07 42883", "OTHER"),
]
MYSQL = [
    (MYSQL_SERVER, "1213", "RETRY"),
    (f"{MARIADB_CODES}: ER_CHECKREAD", "1020", "RETRY"),
    (MYSQL_SERVER, "1205 3572", "LOCK_WAIT"),
    (MYSQL_SERVER, "1021 1037 1038 1040 1041 1114 1203 1226", "UNAVAILABLE"),
    (MYSQL_SERVER, "1045 1049 1129 1290 1792 1836", "UNAVAILABLE"),
    (GALERA, "1047", "UNAVAILABLE"),
    (MYSQL_SERVER, "1053 1317 3024 3101 4031", "UNAVAILABLE"),
    (MARIADB_CODES, "1927 1969", "UNAVAILABLE"),
    (MYSQL_SERVER, "1243 1461 1615 1158 1159 1160 1161", "UNAVAILABLE"),
    (MYSQL_CLIENT, "2002 2003 2005 2006 2012 2013 2055", "UNAVAILABLE"),
    (MYSQL_SERVER, "1044 1054 1142 1143 1146", "UNDEPLOYED"),
    (MYSQL_SERVER, "1022 1048 1064 1216 1364 1406 1451 1452 3819 0", "OTHER"),
    (MARIADB_CODES, "4025", "OTHER"),
]
SQLITE = [
    (RESULT_CODES, "517", "RETRY"),
    (RESULT_CODES, "5 261 773 6 262 518", "LOCK_WAIT"),
    (RESULT_CODES, "10 266 778 13 14 526 15", "UNAVAILABLE"),
    (RESULT_CODES, "1", "UNDEPLOYED"),
    (RESULT_CODES, "8 520 1032 11 18 19 275 787 1299 1811 3091 20 26 0", "OTHER"),
]
SQL_SERVER = [
    (ENGINE_ERRORS, "1205 3960", "RETRY"),
    (EF_CORE, "41301 41302 41305 41325", "RETRY"),
    (ENGINE_ERRORS, "1222", "LOCK_WAIT"),
    (ENGINE_ERRORS, "701 802 1101 1105 8645 8651 9002 17809 8179 596 6005 17142", "UNAVAILABLE"),
    (ENGINE_ERRORS, "615 921 922 926 3906 3908 18456", "UNAVAILABLE"),
    (AVAILABILITY, "976 978 979 981 982 983", "UNAVAILABLE"),
    (SQL_CLIENT, "233 997 1204 4060 4221 10060 10928 10929 40143 40197 40501 40540 40613", "UNAVAILABLE"),
    (SQL_CLIENT, "42108 42109 49918 49919 49920", "UNAVAILABLE"),
    (EF_CORE, "20 64 121 10053 10054 41839 49977 49983", "UNAVAILABLE"),
    (AZURE, "10936 18401 40544 40549 40550 40551 40552 40553", "UNAVAILABLE"),
    (ENGINE_ERRORS, "53 10061", "UNAVAILABLE"),
    (ENGINE_ERRORS, "207 208 229 230 2760", "UNDEPLOYED"),
    (ENGINE_ERRORS, "102 334 515 547 1505 2628 3621 8152 50000 0", "OTHER"),
]


def _rows(table: list[tuple[str, str, str]]) -> dict[str, str]:
    return {code: expected for _, codes, expected in table for code in codes.split()}


@pytest.fixture(scope="module")
def classifier(build: Callable[..., ModuleType]) -> ModuleType:
    return build()


def _found(classifier: ModuleType, errors: dict[str, Exception]) -> dict[str, str]:
    """The fault of each; UNDEPLOYED where it is only so on a statement of ours."""
    found = {}
    for code, error in errors.items():
        fault = classifier.diagnose(error).name
        ours = classifier.diagnose(exc.DBAPIError('INSERT INTO "inbox" ("a") VALUES (1)', {}, error)).name
        found[code] = fault if fault == ours else {("OTHER", "UNAVAILABLE"): "UNDEPLOYED"}[fault, ours]
    return found


@pytest.mark.parametrize("shape", [shapes.psycopg, shapes.asyncpg, shapes.pg8000])
def test_postgresql(shape: Callable[..., Exception], classifier: ModuleType) -> None:
    rows = _rows(POSTGRESQL)
    assert _found(classifier, {code: shape(code) for code in rows}) == rows


@pytest.mark.parametrize("shape", [shapes.pymysql, shapes.mysql_connector, shapes.mariadb])
def test_mysql(shape: Callable[..., Exception], classifier: ModuleType) -> None:
    rows = _rows(MYSQL)
    assert _found(classifier, {code: shape(int(code)) for code in rows}) == rows


def test_sqlite(classifier: ModuleType) -> None:
    rows = _rows(SQLITE)
    assert _found(classifier, {code: shapes.sqlite3(int(code)) for code in rows}) == rows


@pytest.mark.parametrize("driver", NUMBERED)
def test_sql_server(driver: str, classifier: ModuleType) -> None:
    rows = _rows(SQL_SERVER)
    assert _found(classifier, {code: NUMBERED[driver](int(code), "") for code in rows}) == rows


def test_codes_of_one_driver(build: Callable[..., ModuleType]) -> None:
    """DB-Library's numbers are pymssql's, -1 is mysql-connector's: nothing to another driver."""
    pymssql, pyodbc = build(("mssql",), ("pymssql",)), build(("mssql",), ("pyodbc",))
    for code in (20002, 20003, 20004, 20006, 20009, 20047):  # FreeTDS, sybdb.h: SYBEFCON … SYBEDDNE
        assert pymssql.diagnose(shapes.pymssql(code)).name == "UNAVAILABLE"
        assert pyodbc.diagnose(shapes.pyodbc(code)).name == "OTHER"
    connector, pymysql = build(("mysql",), ("mysql-connector",)), build(("mysql",), ("pymysql",))
    assert connector.diagnose(shapes.mysql_connector(-1)).name == "UNAVAILABLE"
    assert pymysql.diagnose(shapes.pymysql(-1)).name == "OTHER"


@pytest.mark.parametrize("shape", [shapes.pymysql, shapes.mysql_connector, shapes.mariadb])
@pytest.mark.parametrize("number", [1062, 1586])
def test_mysql_tells_the_table(shape: Callable[..., Exception], number: int, classifier: ModuleType) -> None:
    """MySQL since 8.0.19: https://dev.mysql.com/doc/relnotes/mysql/8.0/en/news-8-0-19.html"""

    def fault(text: str) -> str:
        return classifier.diagnose(shape(number, text)).name  # type: ignore[no-any-return]

    assert fault(f"Duplicate entry 'm-c' for key 'inbox.{KEY}'") == "UNIQUE_OURS"
    assert fault(f"Duplicate entry 'm-c' for key '{KEY}'") == "UNIQUE_OURS"
    assert fault(f"Duplikátní klíč 'm-c' (číslo klíče '{KEY}') v řádku") == "UNIQUE_OURS"
    for text in (
        f"Duplicate entry 'm' for key 'inbox_archive.{KEY}'",
        f"Duplicate entry 'm' for key 'xinbox.{KEY}'",
        "Duplicate entry 'm' for key 'inbox.PRIMARY'",
        f"Duplicate entry 'x' for key '{KEY}' for key 'uq_orders'",
        f"Duplicate entry 'x' for key 'inbox.{KEY}' for key 'orders.uq_orders'",
        f"Duplicate entry '{KEY}' for key 'PRIMARY'",
        KEY,
        "",
    ):
        assert fault(text) == "UNIQUE_OTHER"


@pytest.mark.parametrize("shape", ["psycopg", "asyncpg", "pg8000"])
def test_postgresql_names(shape: str, classifier: ModuleType) -> None:
    """Constraint and table, both whole; a trigger's own 23505 has neither."""

    def fault(table: str | None, key: str | None) -> str:
        if shape == "pg8000":
            error = shapes.pg8000("23505", M=KEY, **{k: v for k, v in {"t": table, "n": key}.items() if v})
        else:
            error = getattr(shapes, shape)("23505", table_name=table, constraint_name=key)
        return classifier.diagnose(error).name  # type: ignore[no-any-return]

    assert fault("inbox", KEY) == "UNIQUE_OURS"
    for table, key in (
        ("inbox", "pk_inbox"),
        ("inbox", f"{KEY}_old"),
        ("inbox", None),
        ("orders", KEY),
        ("inbox_2", KEY),
        (None, KEY),
        (None, None),
    ):
        assert fault(table, key) == "UNIQUE_OTHER"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (shapes.psycopg(None, "OperationalError"), "UNAVAILABLE"),
        (shapes.psycopg(None, "ProgrammingError"), "OTHER"),
        (shapes._bare("psycopg2", "InterfaceError", "connection already closed"), "UNAVAILABLE"),
        (shapes._bare("psycopg2", "InterfaceError", "cursor already closed"), "OTHER"),
        (shapes._bare("pg8000.exceptions", "InterfaceError", "network error"), "UNAVAILABLE"),
        (shapes._bare("pg8000.exceptions", "InterfaceError", "in failed transaction block"), "OTHER"),
        (shapes._bare("pg8000.exceptions", "InterfaceError"), "OTHER"),
        (shapes._bare("asyncpg.exceptions", "InterfaceError", "connection is closed"), "UNAVAILABLE"),
        (shapes._bare("asyncpg.exceptions", "InterfaceError", "another operation is in progress"), "OTHER"),
        (shapes._bare("asyncpg.exceptions", "TargetServerAttributeNotMatched", "standby"), "UNAVAILABLE"),
        (shapes.psycopg("0A000", source_function="RevalidateCachedQuery"), "UNAVAILABLE"),
        (shapes.asyncpg("0A000", server_source_function="RevalidateCachedQuery"), "UNAVAILABLE"),
        (shapes.pg8000("0A000", R="RevalidateCachedQuery"), "UNAVAILABLE"),
        (shapes.pg8000("0A000", R="transformStmt"), "OTHER"),
    ],
)
def test_postgresql_particulars(error: Exception, expected: str, classifier: ModuleType) -> None:
    assert classifier.diagnose(error).name == expected


def test_no_arguments(classifier: ModuleType) -> None:
    for module in ("psycopg", "asyncpg", "pg8000", "sqlite3", "pymysql", "mysql", "mariadb", "pyodbc", "pymssql"):
        assert classifier.diagnose(shapes._bare(module, "Error")).name == "OTHER"
    assert classifier.diagnose(shapes._bare("pymysql", "Error", [1], {2: 3})).name == "OTHER"
    assert classifier.diagnose(shapes._bare("mssql_python", "Error")).name == "OTHER"
    assert classifier.diagnose(shapes._bare("pytds", "Error")).name == "OTHER"
