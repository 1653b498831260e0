"""The identity of a message."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    message_id: str

    def __post_init__(self) -> None:
        if not self.message_id:
            raise ValueError("message_id is empty, which stands for a missing id")

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"message_id": hashlib.sha256(self.message_id.encode()).digest()}
