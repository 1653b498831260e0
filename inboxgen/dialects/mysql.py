"""MySQL and MariaDB: InnoDB always, binary collations that do not pad, and UUIDs as their sixteen bytes.

MariaDB's own UUID type refuses ids that are no RFC 4122 UUID, so ids of other systems would be lost on the way.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BINARY, VARBINARY, BigInteger
from sqlalchemy.dialects import mysql
from sqlalchemy.types import TypeEngine

from inboxgen.model import KeyType, Kind

CLOCK = "UTC_TIMESTAMP(6)"


def key_type(key: KeyType, *, text: str = "utf8mb4_0900_bin", ascii_text: str = "ascii_bin") -> TypeEngine[Any]:
    """The column type of a part of the dedup key, with the collations of MySQL unless others are named.

    MySQL has no ascii collation without padding, so trailing blanks are refused by the runtime there.
    """
    match key.kind:
        case Kind.UUID:
            return BINARY(16)
        case Kind.STRING:
            return mysql.VARCHAR(key.length, charset="utf8mb4", collation=text)
        case Kind.ASCII:
            return mysql.VARCHAR(key.length, charset="ascii", collation=ascii_text)
        case Kind.BYTES:
            return VARBINARY(key.length)
        case Kind.DIGEST:
            return BINARY(32)
        case Kind.BIGINT:
            return BigInteger()


def instant() -> TypeEngine[Any]:
    """DATETIME with microseconds, UTC by its writer; without the precision the fraction is lost."""
    return mysql.DATETIME(fsp=6)


def identity() -> TypeEngine[Any]:
    """BIGINT AUTO_INCREMENT, through SQLAlchemy's autoincrement."""
    return BigInteger()
