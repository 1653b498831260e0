"""Findings as text, JSON or GitHub annotations, and the one property that knows the exit code."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum, StrEnum
from unicodedata import east_asian_width

from inboxgen.findings import Finding, Refusal, SpecError

# A spec's line may be a megabyte of JSON; this many characters around the column are shown of it.
LONGEST_EXCERPT = 160

_STYLES = {"bold": "\x1b[1m", "red": "\x1b[1;31m", "yellow": "\x1b[33m", "green": "\x1b[32m", "cyan": "\x1b[36m"}


class Exit(IntEnum):
    """What the process answers; 70 is EX_SOFTWARE of sysexits.h, 130 and 141 are 128 + SIGINT and SIGPIPE."""

    DONE = 0
    STALE = 1
    USAGE = 2
    REFUSED = 3
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class Format(StrEnum):
    """How findings are written."""

    TEXT = "text"
    JSON = "json"
    GITHUB = "github"


def exit_code(refusal: Refusal) -> Exit:
    """A spec that is wrong or missing is the caller's input (2); everything else refused is the repository's (3)."""
    return Exit.USAGE if isinstance(refusal, SpecError) else Exit.REFUSED


def severity(code: str) -> str:
    """The word for a code's letter: S is stale, W a warning, everything else an error."""
    return {"S": "stale", "W": "warning"}.get(code[:1], "error")


def paint(text: str, style: str, color: bool) -> str:
    """`text` in an ANSI style, or as it is without `color`."""
    return f"{_STYLES[style]}{text}\x1b[0m" if color and text else text


def render(findings: Iterable[Finding], form: Format, color: bool = False) -> str:
    """The findings in one of the formats; every line ends in LF."""
    if form is Format.JSON:
        return to_json(findings)
    return github(findings) if form is Format.GITHUB else text(findings, color)


def text(findings: Iterable[Finding], color: bool = False) -> str:
    """One paragraph per finding, by place, and their number; the empty string when there is none."""
    ordered = sorted(set(findings))
    if not ordered:
        return ""
    total = "1 problem" if len(ordered) == 1 else f"{len(ordered)} problems"
    return "".join(_paragraph(finding, color) for finding in ordered) + paint(total, "bold", color) + "\n"


def up_to_date(spec: str) -> str:
    """Nothing to do is an answer too."""
    return f"{printable(spec)}: up to date\n"


def to_json(findings: Iterable[Finding]) -> str:
    """One JSON array; line and column are 0 where the finding is about a whole file."""
    import json

    entries = [
        {
            "path": finding.place.path,
            "line": finding.place.line,
            "column": finding.place.column,
            "severity": severity(finding.code),
            "code": finding.code,
            "what": finding.what,
            "why": finding.why,
            "fix": finding.fix,
        }
        for finding in sorted(set(findings))
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def github(findings: Iterable[Finding]) -> str:
    """Workflow commands: https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands."""
    return "".join(_annotation(finding) for finding in sorted(set(findings)))


def _paragraph(finding: Finding, color: bool) -> str:
    word = severity(finding.code)
    label = paint(f"{word}[{finding.code}]", "red" if word == "error" else "yellow", color)
    lines = [f"{paint(printable(str(finding.place)), 'bold', color)}: {label}: {printable(finding.what)}"]
    if finding.source and finding.place.column:
        lines += _excerpt(finding, color)
    lines += [
        f"  {paint(name, 'cyan', color)}: {printable(value)}"
        for name, value in (("why", finding.why), ("fix", finding.fix))
        if value
    ]
    return "".join(f"{line}\n" for line in lines)


def _excerpt(finding: Finding, color: bool) -> list[str]:
    column = finding.place.column - 1
    start = max(0, column - LONGEST_EXCERPT // 2) if len(finding.source) > LONGEST_EXCERPT else 0
    shown = finding.source[start : start + LONGEST_EXCERPT]
    padding = "".join(_blank(character) for character in shown[: column - start])
    gutter = f"{finding.place.line:>4} | "
    return [gutter + printable(shown), " " * (len(gutter) - 2) + "| " + padding + paint("^", "red", color)]


def _blank(character: str) -> str:
    if character == "\t":
        return "\t"
    return "  " if east_asian_width(character) in "WF" else " "


def printable(value: str) -> str:
    """Control characters as their Unicode pictures: what somebody wrote into a file must not drive the terminal."""
    return "".join(_picture(character) for character in value)


def _picture(character: str) -> str:
    if character in "\t\n" or character.isprintable():
        return character
    return chr(0x2400 + ord(character)) if ord(character) < 0x20 else "\N{REPLACEMENT CHARACTER}"


def _annotation(finding: Finding) -> str:
    place = finding.place
    properties = {"file": place.path, "title": finding.code}
    if place.line:
        properties |= {"line": str(place.line), "col": str(place.column)}
    level = "warning" if severity(finding.code) == "warning" else "error"
    message = "\n".join(part for part in (finding.what, finding.why, finding.fix) if part)
    listed = ",".join(f"{name}={_escape(value, ':,')}" for name, value in properties.items())
    return f"::{level} {listed}::{_escape(message)}\n"


def _escape(value: str, also: str = "") -> str:
    return "".join(f"%{ord(character):02X}" if character in "%\r\n" + also else character for character in value)
