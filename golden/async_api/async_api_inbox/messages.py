"""The content of each message, by type."""

from dataclasses import dataclass
from decimal import Decimal
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditRequested:
    account_id: UUID
    amount: Decimal
