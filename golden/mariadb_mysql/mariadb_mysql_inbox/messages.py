"""The content of each message, by type."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Everything:
    a_uuid: UUID
    a_string: str
    a_text: str
    an_int: int
    a_bigint: int
    a_decimal: Decimal
    money: Decimal
    a_bool: bool
    a_date: date
    a_datetime: datetime
    some_bytes: bytes
    some_json: object
    maybe: datetime | None = None
