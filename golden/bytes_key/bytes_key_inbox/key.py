"""The identity of a message."""

from dataclasses import dataclass


def _check_bytes(name: str, value: bytes, longest: int) -> None:
    if not 0 < len(value) <= longest:
        raise ValueError(f"{name} must have 1 to {longest} bytes, not {len(value)}")
    if value.endswith(b"\0"):
        raise ValueError(f"{name} ends in a zero byte, which SQL Server ignores")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    message_id: bytes

    def __post_init__(self) -> None:
        _check_bytes("message_id", self.message_id, 64)

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"message_id": self.message_id}
