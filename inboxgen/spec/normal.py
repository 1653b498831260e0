"""The meaning of a spec as sorted lines of text, for the lock, and back.

Values are JSON. What has its default is left out, so that a field that the model gains later changes no lock.
"""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import Any

from pydantic import TypeAdapter

from inboxgen.model import Inbox

_NAMED = {"consumer": "consumers", "message": "messages"}
_FLAT = ("fallback", "migrations", "retention", "table")


def normal_form(inbox: Inbox) -> tuple[str, ...]:
    """`key=value` lines: one per option, key column, message and consumer."""
    data: dict[str, Any] = TypeAdapter(Inbox).dump_python(inbox, mode="json", exclude_defaults=True)
    lines: dict[str, Any] = {}
    for number, column in enumerate(data.pop("key"), 1):
        lines[f"key.{number:02}"] = column
    for consumer in data["consumers"]:
        if "handles" in consumer:
            consumer["handles"] = consumer["handles"]["name"]
    for word, plural in _NAMED.items():
        for item in data.pop(plural):
            lines[f"{word}.{item.pop('name')}"] = item
    for part in _FLAT:
        for name, value in data.pop(part, {}).items():
            lines[f"{part}.{name}"] = value
    lines.update(data)
    return tuple(sorted(f"{key}={_json(value)}" for key, value in lines.items()))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


@lru_cache  # a run asks for what the record says more than once
def from_normal_form(lines: tuple[str, ...]) -> Inbox:
    """The inbox that `lines` were made of; ValueError when they are not a normal form."""
    data: dict[str, Any] = {"key": [], "consumers": [], "messages": [], "migrations": {}}
    for line in sorted(lines):
        name, _, text = line.partition("=")
        value = json.loads(text)
        part, _, rest = name.partition(".")
        if part in _NAMED:
            data[_NAMED[part]].append({**value, "name": rest})
        elif part == "key":
            data["key"].append(value)
        elif part in _FLAT:
            data.setdefault(part, {})[rest] = value
        else:
            data[name] = value
    unknown = data.keys() - {field.name for field in fields(Inbox)}
    if unknown:
        raise ValueError(f"not known to this version: {', '.join(sorted(unknown))}")
    messages = {message["name"]: message for message in data["messages"]}
    for consumer in data["consumers"]:
        if "handles" in consumer:
            consumer["handles"] = messages.get(consumer["handles"])
    return TypeAdapter(Inbox).validate_python(data)
