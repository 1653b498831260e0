"""A spec's file to text: what cannot be opened, decoded or seen is reported with its place."""

from __future__ import annotations

import codecs
import re
from pathlib import Path

from inboxgen.spec.report import Report, Spot

LARGEST = 1_000_000
"""Bytes; the largest spec that was tried, with 1,000 consumers, has 53,000."""

# Cc without tab and line ends, the bidirectional controls, a byte order mark inside, and Unicode's own line ends.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufffe\uffff]"
)


def read(path: Path, report: Report) -> str | None:
    """The text of `path` with LF line ends, without a byte order mark; None when it cannot be read."""
    data = _bytes(path, report)
    if data is None:
        return None
    text = _decode(data.removeprefix(codecs.BOM_UTF8), report)
    if text is None:
        return None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    report.lines = text.split("\n")
    return text if _seen(report) else None


def _bytes(path: Path, report: Report) -> bytes | None:
    try:
        if path.is_file():
            with path.open("rb") as file:
                data = file.read(LARGEST + 1)
            if len(data) <= LARGEST:
                return data
            report.file("E117", f"larger than {LARGEST:,} bytes", fix="a spec is a few lines; is this the right file?")
        elif path.is_dir():
            report.file("E102", "is a folder", fix="name the spec's file in it")
        elif path.exists():
            report.file("E102", "is not a regular file", fix="name a file")
        else:
            report.file("E101", "no such file", fix=f"`inboxgen init {path.as_posix()}` writes a starter")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        report.file("E102", f"cannot be read: {reason}", fix="check the path and its permissions")
    return None


def _decode(data: bytes, report: Report) -> str | None:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        report.file("E103", "is UTF-16, and a spec is UTF-8", fix="save the file as UTF-8")
        return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        report.lines = data.decode(errors="replace").splitlines()
        spot = Spot(before.count("\n") + 1, len(before) - before.rfind("\n"))
        report.at(spot, "E103", f"the byte 0x{data[error.start]:02X} is not UTF-8", fix="save the file as UTF-8")
        return None


def _seen(report: Report) -> bool:
    """Report characters that a reviewer could not see; Unicode's bidirectional ones can hide what a line does."""
    clean = True
    for number, line in enumerate(report.lines, 1):
        found = _UNSEEN.search(line)
        if found:
            clean = False
            report.lines[number - 1] = _UNSEEN.sub("\ufffd", line)
            report.at(
                Spot(number, found.start() + 1),
                "E104",
                f"the character U+{ord(found[0]):04X} cannot be seen",
                why="a reviewer would not read what the program reads",
                fix="remove it",
            )
    return clean
