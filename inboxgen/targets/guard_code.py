"""What the generated guards must know of each database: the statements that end a transaction, the driver's state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inboxgen.dialects.drivers import DRIVERS, NEEDS_SAVEPOINT
from inboxgen.dialects.titles import TITLES
from inboxgen.model import FAMILY, Dialect, Inbox

_SQLITE = {"sqlite3", "aiosqlite"}
_GET_AUTOCOMMIT = {"aiomysql", "asyncmy", "mysqlclient", "pymysql"}
_TEXT, _NAME, _LINE, _BLOCK = "'(?:[^']|'')*'", '"(?:[^"]|"")*"', r"--[^\n]*", r"/\*.*?\*/"
_ESCAPED_TEXT = r"'(?:[^'\\]|''|\\.)*'"
_ROLLBACK = r"ROLLBACK(?!\s+((WORK|TRANSACTION)\s+)?TO\b)"


@dataclass(frozen=True, slots=True)
class Syntax:
    """How dialects write what is no statement (`noise`), and what ends a transaction there.

    `ending` is given in the lines that the generated source breaks it into; `label` ends the names in that source.
    `of` and `also` are for its comments.
    """

    dialects: tuple[str, ...]
    noise: tuple[str, ...]
    ending: tuple[str, ...]
    label: str = ""
    of: str = ""
    also: str = ""


_POSTGRESQL_NOISE = (rf"\b[eE]{_ESCAPED_TEXT}", _TEXT, _NAME, _LINE, _BLOCK, r"\$(\w*)\$.*?\$\1\$")
_STANDARD_ENDING = (
    r"(?:^|;)\s*(COMMIT|END|ABORT|PREPARE\s+TRANSACTION",
    rf"|{_ROLLBACK})\b",
)
# T-SQL needs no semicolon between statements, and COMMIT and ROLLBACK are reserved words there.
_MSSQL = Syntax(
    ("mssql",),
    (_TEXT, _NAME, _LINE, _BLOCK, r"\[[^\]]*\]"),
    (r"(?<![\w@#$])(COMMIT|ROLLBACK(?!\s+TRAN(?:SACTION)?\s+\w))\b",),
    "_MSSQL",
    " of SQL Server",
)
# https://dev.mysql.com/doc/refman/9.0/en/implicit-commit.html; a temporary table commits nothing.
_MYSQL_ENDING = (
    r"(?:^|;|/\*M?!\d*)\s*(?:SET\s+STATEMENT\s[^;]*?\sFOR\s+)?",
    r"(COMMIT|ALTER|ANALYZE\s+(?:\w+\s+)?TABLE|BEGIN|CACHE\s+INDEX|CHECK\s+TABLE",
    r"|(?:CREATE|DROP)\b(?!\s+(?:OR\s+REPLACE\s+)?TEMPORARY)",
    r"|BACKUP|EXECUTE\s+IMMEDIATE|FLUSH|GRANT|INSTALL|LOAD\s+INDEX",
    r"|LOCK\s+TABLES?|OPTIMIZE|RENAME|REPAIR|RESET|REVOKE",
    r"|SET\s+(?:DEFAULT\s+ROLE|PASSWORD)",
    r"|SET\b[^;]*?(?<![\w@.])(?:@@(?:\w+\.)?)?AUTOCOMMIT(?=\s*:?=)|START\s+TRANSACTION",
    r"|TRUNCATE|UNINSTALL|UNLOCK\s+TABLES?|XA",
    rf"|{_ROLLBACK})\b",
)
# /*! ... */ is run, so it is no comment.
_MYSQL_NOISE = (_ESCAPED_TEXT, _ESCAPED_TEXT.replace("'", '"'), _LINE, "`[^`]*`", r"#[^\n]*", r"/\*(?!M?!).*?\*/")


def guard_context(inbox: Inbox) -> dict[str, Any]:
    """The context of `package/guards.py.j2`."""
    dialects, drivers = set(inbox.dialects), set(inbox.drivers)
    return {
        "syntaxes": _syntaxes(dialects),
        "savepoints": _savepoints(dialects),
        "driver_names": tuple(sorted(map(sqlalchemy_name, drivers))),
        "commits": _autocommit(drivers),
        "lost": _lost(drivers),
    }


def _syntaxes(dialects: set[Dialect]) -> list[Syntax]:
    syntaxes = []
    if standard := tuple(name for name in ("postgresql", "sqlite") if name in dialects):
        noise = _POSTGRESQL_NOISE if Dialect.POSTGRESQL in dialects else (_TEXT, _NAME, _LINE, _BLOCK)
        syntaxes.append(Syntax(standard, noise, _STANDARD_ENDING))
    if Dialect.MSSQL in dialects:
        syntaxes.append(_MSSQL)
    if present := [TITLES[dialect] for dialect in FAMILY if dialect in dialects]:
        of, also = f" of {' and '.join(present)}", ", which DDL commits too"
        syntaxes.append(Syntax(FAMILY, _MYSQL_NOISE, _MYSQL_ENDING, "_MYSQL", of, also))
    return syntaxes


def sqlalchemy_name(driver: str) -> str:
    """What SQLAlchemy calls a driver of the spec."""
    return next(iter(DRIVERS[driver].urls.values())).partition("+")[2]


def _savepoints(dialects: set[Dialect]) -> tuple[str, ...]:
    """Matches what sets a savepoint or, with its first group, rolls back to one; the second is its name."""
    back, standard, transact = r"(ROLLBACK)", r"(?:\w+\s+)?TO(?:\s+SAVEPOINT)?", r"TRAN\w*"
    name = r"\s+([^\s;]+)"
    if dialects == {Dialect.MSSQL}:
        return (rf"(?:SAVE|{back})\s+{transact}{name}",)
    if Dialect.MSSQL in dialects:
        return (rf"(?:SAVEPOINT|SAVE\s+{transact}", rf"|{back}\s+(?:{standard}|{transact})){name}")
    return (rf"(?:SAVEPOINT|{back}\s+{standard}){name}",)


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
    """How each driver tells that the marker's transaction is no longer whole; those of SQL Server do not."""
    silent, psycopg = drivers & NEEDS_SAVEPOINT, drivers & {"psycopg", "psycopg2"}
    asked = {}
    if silent or (psycopg and psycopg != drivers):
        asked["connection"] = "Connection"
    if psycopg:
        asked["driver"] = "Any"
    return {
        "asked": asked,
        "silent": tuple(sorted(map(sqlalchemy_name, silent))),
        "psycopg": tuple(sorted(map(sqlalchemy_name, psycopg))),
        "all_silent": silent == drivers,
        "complete": silent | psycopg == drivers,
    }
