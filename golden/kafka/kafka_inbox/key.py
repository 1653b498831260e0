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


def _check_ascii(name: str, value: str, longest: int) -> None:
    _check_text(name, value, longest)
    if not value.isascii():
        raise ValueError(f"{name} holds characters outside ASCII")


def _check_bigint(name: str, value: int) -> None:
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{name} does not fit into 64 bits: {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageKey:
    """What makes two deliveries one message; each delivery repeats it.

    Raises ValueError for a value that stands for a missing id, or that the database
    could not keep as it is.
    """

    epoch: str = "1"
    topic: str
    partition: int
    offset: int

    def __post_init__(self) -> None:
        _check_ascii("epoch", self.epoch, 40)
        _check_ascii("topic", self.topic, 249)
        _check_bigint("partition", self.partition)
        _check_bigint("offset", self.offset)

    def columns(self) -> dict[str, object]:
        """The key as the table's columns hold it."""
        return {
            "epoch": self.epoch,
            "topic": self.topic,
            "partition": self.partition,
            "offset": self.offset,
        }
