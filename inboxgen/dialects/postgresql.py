"""PostgreSQL: types whose strings are compared byte by byte (collation "C"), and its clock."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, DateTime, LargeBinary, String, Uuid
from sqlalchemy.types import TypeEngine

from inboxgen.model import KeyType, Kind

# Not now(): that is the start of the transaction, however long the claim then waited.
CLOCK = "clock_timestamp()"


def key_type(key: KeyType) -> TypeEngine[Any]:
    """The column type of a part of the dedup key; BYTEA has no length, so the runtime checks it."""
    match key.kind:
        case Kind.UUID:
            return Uuid()
        case Kind.STRING | Kind.ASCII:
            return String(key.length, collation="C")
        case Kind.BYTES | Kind.DIGEST:
            return LargeBinary()
        case Kind.BIGINT:
            return BigInteger()


def instant() -> TypeEngine[Any]:
    """TIMESTAMP WITH TIME ZONE, in microseconds."""
    return DateTime(timezone=True)


def identity() -> TypeEngine[Any]:
    """BIGSERIAL, through SQLAlchemy's autoincrement."""
    return BigInteger()
