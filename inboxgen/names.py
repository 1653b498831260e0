"""Names that we make: valid in every dialect at once, stable, and derived from nothing but what they name."""

from __future__ import annotations

import hashlib
import re

# PostgreSQL cuts a longer identifier silently; MySQL and SQL Server allow more (64 and 128 characters).
LONGEST_NAME_BYTES = 63


def shorten(name: str) -> str:
    """Cut `name` to 63 bytes of UTF-8 at a character, ending in a hash of the whole; a short name is returned as is."""
    encoded = name.encode()
    if len(encoded) <= LONGEST_NAME_BYTES:
        return name
    digest = hashlib.sha256(encoded).hexdigest()[:8]
    return encoded[: LONGEST_NAME_BYTES - 9].decode(errors="ignore") + "_" + digest


def snake_case(name: str) -> str:
    """`CreditRequested` and `credit-requested` become `credit_requested`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return re.sub(r"\W+", "_", spaced).strip("_").lower()


def pascal_case(name: str) -> str:
    """`message_id` becomes `MessageId`."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[\W_]+", name) if part)
