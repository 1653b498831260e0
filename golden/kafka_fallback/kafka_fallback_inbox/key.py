"""The identity of a message."""

from dataclasses import dataclass

EPOCH = "2"


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
class KafkaCoordinates:
    """Where Kafka holds the message; of a message from a retry topic, where it stood first."""

    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    An empty `message_id` counts as missing: then `coordinates` identify the message.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    message_id: str
    coordinates: KafkaCoordinates

    def __post_init__(self) -> None:
        if self.message_id.startswith("kafka:"):
            raise ValueError(
                "message_id begins like the coordinates that stand in for a missing id"
            )
        _check_text("message_id", self.message_id or self._place(), 300)

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {"message_id": self.message_id or self._place()}

    def _place(self) -> str:
        at = self.coordinates
        return f"kafka:{EPOCH}/{at.topic}/{at.partition}/{at.offset}"
