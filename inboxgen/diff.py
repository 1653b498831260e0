"""A plan as a unified diff, SQL first: what a reviewer would see after `inboxgen new`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inboxgen.plan import Plan, Step
from inboxgen.report import paint

_CONTEXT_LINES = 3
_STYLES = {"---": "bold", "+++": "bold", "@": "cyan", "+": "green", "-": "red"}


@dataclass(frozen=True, slots=True)
class Change:
    """One file's lines, as `difflib` tells them, without line ends."""

    path: str
    lines: tuple[str, ...]
    added: int
    removed: int


def changes(plan: Plan) -> tuple[Change, ...]:
    """One change per file that would be written or deleted: SQL, then revisions, then the rest, each by path."""
    frozen_last = sorted(
        plan.changes, key=lambda step: (not step.path.endswith(".sql"), step.kind != "frozen", step.path)
    )
    return tuple(_change(step, plan.repository.shown(step.path)) for step in frozen_last)


def unified(found: Sequence[Change], color: bool = False) -> str:
    """The diff's text; `git apply` takes it when it has no colours."""
    return "".join(f"{_painted(line, color)}\n" for change in found for line in change.lines)


def stat(found: Sequence[Change], color: bool = False) -> str:
    """Lines added and removed per file, and their sum."""
    if not found:
        return ""
    width = max(len(change.path) for change in found)
    rows = [f" {change.path:<{width}} | {_counts(change, color)}" for change in found]
    added, removed = (sum(getattr(change, each) for change in found) for each in ("added", "removed"))
    files = "1 file" if len(found) == 1 else f"{len(found)} files"
    return "".join(f"{row}\n" for row in (*rows, f" {files} changed, {added} added, {removed} removed"))


def _counts(change: Change, color: bool) -> str:
    return " ".join((paint(f"+{change.added}", "green", color), paint(f"-{change.removed}", "red", color)))


def _change(step: Step, path: str) -> Change:
    before, after = (
        (f"a/{path}" if step.old is not None else "/dev/null"),
        (f"b/{path}" if step.new is not None else "/dev/null"),
    )
    old, new = (_lines(step.old), _lines(step.new))
    lines = tuple(_with_end_marks(difflib.unified_diff(old, new, before, after, n=_CONTEXT_LINES)))
    body = lines[2:]
    return Change(path, lines, sum(line.startswith("+") for line in body), sum(line.startswith("-") for line in body))


def _lines(text: str | None) -> list[str]:
    return [] if text is None else [f"{line}\n" for line in text.split("\n")[:-1]] + _unended(text)


def _unended(text: str) -> list[str]:
    last = text.rpartition("\n")[2]
    return [last] if last else []


def _with_end_marks(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield line.removesuffix("\n")
        if not line.endswith("\n"):
            yield "\\ No newline at end of file"


def _painted(line: str, color: bool) -> str:
    style = next((style for prefix, style in _STYLES.items() if line.startswith(prefix)), "")
    return paint(line, style, color) if style else line
