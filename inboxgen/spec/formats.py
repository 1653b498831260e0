"""The small languages inside a spec's values: each is a pattern, what it means and an example of it.

The patterns stand in the JSON Schema too, so they keep to what Python, Rust and ECMAScript read alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class Format:
    """A pattern for a text; `what` continues the sentence "`x` is not …"."""

    pattern: str
    code: str
    what: str
    fix: str
    words: tuple[str, ...] = ()


INBOX = Format(
    "^[A-Za-z][A-Za-z0-9_-]{0,62}$",
    "E209",
    "a name for an inbox",
    "use letters, digits, `_` and `-`, a letter first, at most 63",
)
CONSUMER = Format(
    "^[A-Za-z][A-Za-z0-9_.-]{0,199}$",
    "E209",
    "a name for a consumer",
    "use letters, digits, `_`, `-` and `.`, a letter first; `stored_as` takes any other name that the table holds",
)
NAME = Format(
    "^[A-Za-z][A-Za-z0-9_]*$",
    "E209",
    "a plain name, as Python and Alembic need it",
    "use letters, digits and `_`, a letter first",
)
KEY_TYPE = Format(
    r"^(uuid|bigint|digest|(string|ascii|bytes)\([1-9][0-9]{0,4}\))$",
    "E206",
    "a type of a key column",
    "use uuid, string(N), ascii(N), bytes(N), bigint or digest, N being the greatest length, as in string(200)",
    ("uuid", "string", "ascii", "bytes", "bigint", "digest"),
)
FIELD_TYPE = Format(
    r"^(uuid|string|text|int|bigint|decimal(\([1-9][0-9]?, ?[0-9]{1,2}\))?|bool|date|datetime|bytes|json)\??$",
    "E207",
    "a type of a message field",
    "use uuid, string, text, int, bigint, decimal, decimal(P, S), bool, date, datetime, bytes or json; "
    "a `?` after it makes it optional",
    ("uuid", "string", "text", "int", "bigint", "decimal", "bool", "date", "datetime", "bytes", "json"),
)
DURATION = Format(
    "^[0-9]{1,6}[smhdw]$",
    "E208",
    "a duration",
    "give a whole number and its unit, one of s m h d w: 30s, 5m, 14d",
)
PYTHON = Format(
    r"^3\.(1[1-9]|[2-9][0-9])$",
    "E212",
    "a Python version that the generated code can be made for",
    'use "3.11" or a newer one, in quotes',
)
EPOCH = Format(
    "^[!-.0-~]{1,40}$",
    "E213",
    "an epoch",
    "use at most 40 visible ASCII characters without `/`",
)

FORMATS = {form.pattern: form for form in (NAME, INBOX, CONSUMER, KEY_TYPE, FIELD_TYPE, DURATION, PYTHON, EPOCH)}

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def duration(text: str) -> timedelta:
    """`5m` as a timedelta; the text has passed DURATION."""
    return timedelta(seconds=int(text[:-1]) * _SECONDS[text[-1]])


def spell(span: timedelta) -> str:
    """A timedelta in days, hours, minutes and seconds: `66d 1h 40m`."""
    seconds = int(span.total_seconds())
    parts = []
    for unit in "dhms":
        count, seconds = divmod(seconds, _SECONDS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"
