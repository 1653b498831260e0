"""SQL Server: a binary collation for keys; trailing blanks of text and zero bytes of binary still compare as equal."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import BINARY, NVARCHAR, VARBINARY, VARCHAR, BigInteger, Uuid
from sqlalchemy.dialects import mssql
from sqlalchemy.types import TypeEngine

from inboxgen.model import KeyType, Kind

CLOCK = "SYSUTCDATETIME()"
# https://learn.microsoft.com/sql/relational-databases/collations/collation-and-unicode-support
COLLATION = "Latin1_General_100_BIN2"


def key_type(key: KeyType) -> TypeEngine[Any]:
    """The column type of a part of the dedup key."""
    match key.kind:
        case Kind.UUID:
            return Uuid()
        case Kind.STRING:
            return NVARCHAR(key.length, collation=COLLATION)
        case Kind.ASCII:
            return VARCHAR(key.length, collation=COLLATION)
        case Kind.BYTES:
            return VARBINARY(key.length)
        case Kind.DIGEST:
            return BINARY(32)
        case Kind.BIGINT:
            return BigInteger()


def instant() -> TypeEngine[Any]:
    """DATETIME2 with its default of seven digits, UTC by its writer: it holds no zone."""
    untyped: Any = mssql.DATETIME2
    return cast(TypeEngine[Any], untyped())


def identity() -> TypeEngine[Any]:
    """BIGINT IDENTITY, through SQLAlchemy's autoincrement."""
    return BigInteger()
