"""The messages of the replicas: a number each, and the identity that a release's code makes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

KINDS: Mapping[str, Callable[[str], object]] = {
    "string": str,
    "bigint": int,
    "uuid": lambda text: UUID(int=int(text) + 1),
}


def message_key(package: Any, values: Mapping[str, str], number: int) -> Any:
    """The package's MessageKey of a message; `values` as in `Case`, of which only the fields that it knows count."""
    found = {}
    for field in package.MessageKey.__dataclass_fields__:
        kind, _, text = values[field].partition(":")
        found[field] = KINDS[kind](text.format(n=number, third=number % 3))
    return package.MessageKey(**found)
