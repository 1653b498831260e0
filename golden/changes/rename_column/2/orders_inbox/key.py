"""The identity of a message."""

from dataclasses import dataclass


def _check_text(name: str, value: str, longest: int) -> None:
    if not 0 < len(value.encode("utf-16-le")) // 2 <= longest:
        raise ValueError(
            f"{name} must have 1 to {longest} characters, not {len(value)}"
        )
    if "\0" in value:
        raise ValueError(f"{name} holds a NUL character, which some databases refuse")
    if value.endswith(" "):
        raise ValueError(f"{name} ends in a blank, which SQL Server ignores")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    event_id: str

    def __post_init__(self) -> None:
        _check_text("event_id", self.event_id, 100)

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"event_id": self.event_id}
