"""The identity of a message."""

from dataclasses import dataclass
from uuid import UUID


def _check_bigint(name: str, value: int) -> None:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} does not fit into 64 bits: {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    tenant: int
    message_id: UUID

    def __post_init__(self) -> None:
        _check_bigint("tenant", self.tenant)
        if getattr(self.message_id, "int", 0) == 0:
            raise ValueError("message_id is no UUID, or the nil one: a missing id")

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"tenant": self.tenant, "message_id": self.message_id}
