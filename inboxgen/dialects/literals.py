"""Values of key columns as SQL literals, in the form in which the generated runtime stores them."""

from __future__ import annotations

import hashlib
from uuid import UUID

from inboxgen.model import Dialect, KeyType, Kind

_EMPTY = {Kind.UUID: "0" * 32, Kind.BIGINT: "0"}


def empty(key: KeyType) -> str:
    """A value of the column that no message has: the runtime refuses empty texts and the nil UUID."""
    return _EMPTY.get(key.kind, "")


def literal(dialect: Dialect, key: KeyType, value: str) -> str:
    """`value`, a text as the spec has it, as a literal of `dialect`; ValueError if it is none of the column's type."""
    match key.kind:
        case Kind.BIGINT:
            return str(int(value))
        case Kind.UUID:
            return _uuid(dialect, UUID(value))
        case Kind.BYTES:
            return _binary(dialect, value.encode())
        case Kind.DIGEST:
            return _binary(dialect, hashlib.sha256(value.encode()).digest())
        case Kind.STRING | Kind.ASCII:
            prefix = "N" if dialect is Dialect.MSSQL and key.kind is Kind.STRING else ""
            return prefix + text(value)


def text(value: str) -> str:
    """A standard literal; what would need an escape in MySQL is refused by the spec's rules."""
    return "'" + value.replace("'", "''") + "'"


def _uuid(dialect: Dialect, value: UUID) -> str:
    if dialect in (Dialect.MYSQL, Dialect.MARIADB):
        return f"X'{value.hex}'"
    # SQLite holds the digits as text; PostgreSQL reads them as well.
    return f"'{value}'" if dialect is Dialect.MSSQL else f"'{value.hex}'"


def _binary(dialect: Dialect, value: bytes) -> str:
    match dialect:
        case Dialect.POSTGRESQL:
            return rf"'\x{value.hex()}'"
        case Dialect.MSSQL:
            return f"0x{value.hex()}"
        case _:
            return f"X'{value.hex()}'"
