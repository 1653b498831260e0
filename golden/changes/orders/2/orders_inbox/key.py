"""The identity of a message."""

from dataclasses import dataclass
from uuid import UUID


def _check_text(name: str, value: str, longest: int) -> None:
    if not 0 < len(value.encode("utf-16-le")) // 2 <= longest:
        raise ValueError(
            f"{name} must have 1 to {longest} characters, not {len(value)}"
        )
    if "\0" in value:
        raise ValueError(f"{name} holds a NUL character, which some databases refuse")
    if value.endswith(" "):
        raise ValueError(f"{name} ends in a blank, which SQL Server ignores")


def _check_ascii(name: str, value: str, longest: int) -> None:
    _check_text(name, value, longest)
    if not value.isascii():
        raise ValueError(f"{name} holds characters outside ASCII")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    message_id: UUID
    source: str

    def __post_init__(self) -> None:
        if getattr(self.message_id, "int", 0) == 0:
            raise ValueError("message_id is no UUID, or the nil one: a missing id")
        _check_ascii("source", self.source, 40)

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"message_id": self.message_id, "source": self.source}
