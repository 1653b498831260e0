"""What the generated guards must know of each database: the statements that end a transaction, the driver's state."""

from __future__ import annotations

from typing import Any

from inboxgen.dialects.drivers import DRIVERS
from inboxgen.model import FAMILY, Dialect, Inbox

_SQLITE = {"sqlite3", "aiosqlite"}
_GET_AUTOCOMMIT = {"aiomysql", "asyncmy", "mysqlclient", "pymysql"}
_ROLLBACK = r"ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b)"
# Patterns are given in the lines that the generated source breaks them into.
_STANDARD = (
    r"(?:^|;)\s*(COMMIT|END|ABORT|PREPARE\s+TRANSACTION",
    rf"|{_ROLLBACK})\b",
)
# https://dev.mysql.com/doc/refman/9.0/en/implicit-commit.html; a temporary table commits nothing.
_MYSQL = (
    r"(?:^|;|/\*M?!\d*)\s*(?:SET\s+STATEMENT\s[^;]*?\sFOR\s+)?",
    r"(COMMIT|ALTER|ANALYZE|BEGIN|CACHE\s+INDEX|CHECK\s+TABLE",
    r"|(?:CREATE|DROP)\b(?!\s+(?:OR\s+REPLACE\s+)?TEMPORARY)",
    r"|BACKUP|FLUSH|GRANT|INSTALL|LOAD\s+INDEX",
    r"|LOCK\s+TABLES?|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE|SET\s+PASSWORD",
    r"|SET\b[^;]*?(?<![\w@.])(?:@@(?:\w+\.)?)?AUTOCOMMIT(?=\s*:?=)|START\s+TRANSACTION",
    r"|TRUNCATE|UNINSTALL|UNLOCK\s+TABLES?|XA",
    rf"|{_ROLLBACK})\b",
)
# T-SQL needs no semicolon between statements, and COMMIT and ROLLBACK are reserved words there.
_MSSQL = (r"(?<![\w@#$])(COMMIT|ROLLBACK(?!\s+TRAN(?:SACTION)?\s+\w))\b",)


def guard_context(inbox: Inbox) -> dict[str, Any]:
    """The context of `package/guards.py.j2`."""
    dialects, drivers = set(inbox.dialects), set(inbox.drivers)
    family = bool(set(FAMILY) & dialects)
    endings = []
    if standard := [name for name in ("postgresql", "sqlite") if name in dialects]:
        endings.append({"name": "_STANDARD", "dialects": standard, "pattern": _STANDARD, "also": ""})
    if Dialect.MSSQL in dialects:
        endings.append({"name": "_MSSQL", "dialects": ["mssql"], "pattern": _MSSQL, "also": " of SQL Server"})
    if family:
        also = " of MySQL and MariaDB, which DDL commits too"
        endings.append({"name": "_MYSQL", "dialects": ["mysql", "mariadb"], "pattern": _MYSQL, "also": also})
    return {
        "endings": endings,
        "noise": _noise(dialects),
        "savepoints": _savepoints(dialects),
        "driver_names": tuple(sorted(map(sqlalchemy_name, drivers))),
        "commits": _autocommit(drivers),
        "lost": _lost(drivers),
    }


def sqlalchemy_name(driver: str) -> str:
    """What SQLAlchemy calls a driver of the spec."""
    return next(iter(DRIVERS[driver].urls.values())).partition("+")[2]


def _noise(dialects: set[Dialect]) -> str:
    backslash = bool(set(FAMILY) & dialects)
    parts = [r"'(?:[^'\\]|''|\\.)*'" if backslash else "'(?:[^']|'')*'", '"(?:[^"]|"")*"', r"--[^\n]*"]
    if backslash:
        # /*! ... */ is run, so it is no comment.
        parts += ["`[^`]*`", r"#[^\n]*", r"/\*(?!M?!).*?\*/"]
    else:
        parts.append(r"/\*.*?\*/")
    if Dialect.POSTGRESQL in dialects:
        parts.insert(0, r"\b[eE]'(?:[^'\\]|''|\\.)*'")
        parts.append(r"\$(\w*)\$.*?\$\1\$")
    if Dialect.MSSQL in dialects:
        parts.append(r"\[[^\]]*\]")
    return "|".join(parts)


def _savepoints(dialects: set[Dialect]) -> tuple[str, ...]:
    """Matches what sets a savepoint or, with the group `back`, rolls back to one; its name follows."""
    back, standard, transact = r"(?P<back>ROLLBACK)", r"(?:\w+\s+)?TO(?:\s+SAVEPOINT)?", r"TRAN\w*"
    if dialects == {Dialect.MSSQL}:
        return (rf"(?:SAVE|{back})\s+{transact}",)
    if Dialect.MSSQL in dialects:
        return (rf"(?:SAVEPOINT|SAVE\s+{transact}", rf"|{back}\s+(?:{standard}|{transact}))")
    return (rf"(?:SAVEPOINT|{back}\s+{standard})",)


def _autocommit(drivers: set[str]) -> dict[str, Any]:
    """How each driver tells that it commits every statement by itself."""
    sqlite, method = drivers & _SQLITE, drivers & _GET_AUTOCOMMIT
    return {
        "sqlite": "".join(map(sqlalchemy_name, sqlite)),
        "method": tuple(sorted(map(sqlalchemy_name, method))),
        "pymssql": "pymssql" in drivers,
        "attribute": bool(drivers - sqlite - method - {"pymssql"}),
    }


def _lost(drivers: set[str]) -> dict[str, Any]:
    """How each driver tells, without asking the server, that its transaction is no longer whole."""
    sqlite, psycopg = drivers & _SQLITE, drivers & {"psycopg", "psycopg2"}
    tests = {
        "not driver.in_transaction": sqlite,
        "bool(driver.info.transaction_status != 2)  # PQTRANS_INTRANS": psycopg,
        'bool(driver._transaction_status != b"T")': drivers & {"pg8000"},
        "not driver.is_in_transaction()": drivers & {"asyncpg"},
    }
    known = [{"test": test, "among": _among(asked)} for test, asked in tests.items() if asked]
    return {"known": known, "any": bool(known), "complete": set().union(*tests.values()) == drivers}


def _among(drivers: set[str]) -> str:
    """The end of a condition on a driver's name."""
    names = sorted(map(sqlalchemy_name, drivers))
    return f'== "{names[0]}"' if len(names) == 1 else "in (" + ", ".join(f'"{name}"' for name in names) + ")"
