"""The identity of a message."""

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    message_id: UUID

    def __post_init__(self) -> None:
        if getattr(self.message_id, "int", 0) == 0:
            raise ValueError("message_id is no UUID, or the nil one: a missing id")

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"MessageId": self.message_id}
