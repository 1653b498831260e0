"""The spec: one YAML file to the inbox that it means.

pydantic is imported when a spec is read, so that `--help` does not wait for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from inboxgen.findings import SpecError
from inboxgen.model import Inbox

__all__ = ["from_normal_form", "json_schema", "load", "normal_form", "schema_of", "with_schema_of"]

# How the normal form begins the lines of what has no part in the schema.
_CODE_ALONE = ("consumer.", "message.")


def load(path: Path) -> Inbox:
    """Read the spec at `path`; SpecError has every problem of it, with places in the file as it was named."""
    from inboxgen.spec.reading import read
    from inboxgen.spec.report import Report

    report = Report(path.as_posix())
    text = read(path, report)
    if text is None:
        raise SpecError(report.findings)
    from inboxgen.spec.check import check
    from inboxgen.spec.rules import build
    from inboxgen.spec.source import parse

    data = parse(text, report)
    if data is None:
        raise SpecError(report.findings)
    inbox = build(check(data, report), report, path.name)
    if report.findings:
        raise SpecError(report.findings)
    return inbox


def normal_form(inbox: Inbox) -> tuple[str, ...]:
    """The whole meaning of a spec as sorted `key=value` lines, the same for every way to write it."""
    from inboxgen.spec.normal import normal_form

    return normal_form(inbox)


def from_normal_form(lines: tuple[str, ...]) -> Inbox:
    """The inbox that `normal_form` made `lines` of; ValueError when they are not such lines."""
    from inboxgen.spec.normal import from_normal_form

    return from_normal_form(lines)


def schema_of(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines of a normal form that the schema hangs on: all but consumers and messages."""
    return tuple(line for line in lines if not line.startswith(_CODE_ALONE))


def with_schema_of(lines: Iterable[str], present: Iterable[str]) -> tuple[str, ...]:
    """A normal form of the schema in `lines`, and of the consumers and messages in `present`."""
    return tuple(sorted((*schema_of(lines), *(line for line in present if line.startswith(_CODE_ALONE)))))


def json_schema() -> dict[str, Any]:
    """The spec's format as JSON Schema, draft 2020-12."""
    from inboxgen.spec.schema import json_schema

    return json_schema()
