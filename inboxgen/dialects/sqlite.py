"""SQLite: declared types that keep text as text (a declared UUID or DATETIME key would be read as a number)."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, DateTime, Integer, LargeBinary, String, Uuid
from sqlalchemy.types import TypeEngine

from inboxgen.model import KeyType, Kind

# SQLAlchemy reads and writes six digits of a second; strftime gives three (https://sqlite.org/lang_datefunc.html).
CLOCK = "strftime('%Y-%m-%d %H:%M:%f', 'now') || '000'"


def key_type(key: KeyType) -> TypeEngine[Any]:
    """The column type of a part of the dedup key; SQLite enforces no length, so the runtime checks it."""
    match key.kind:
        case Kind.UUID:
            return Uuid()
        case Kind.STRING | Kind.ASCII:
            return String(key.length, collation="BINARY")
        case Kind.BYTES | Kind.DIGEST:
            return LargeBinary()
        case Kind.BIGINT:
            return BigInteger()


def instant() -> TypeEngine[Any]:
    """Text in SQLAlchemy's own layout, UTC."""
    return DateTime(timezone=True)


def identity() -> TypeEngine[Any]:
    """Only INTEGER PRIMARY KEY is the rowid and fills itself in (https://sqlite.org/autoinc.html)."""
    return Integer()
