"""The race kit: a test of the user's repository, in which two processes take one message."""

from __future__ import annotations

from inboxgen.model import FileKind, Inbox, RenderedFile
from inboxgen.render import render
from inboxgen.targets.package import shared_context


def race_kit(inbox: Inbox) -> tuple[RenderedFile, ...]:
    """`tests/test_<package>.py`."""
    text = render("race_kit.py.j2", **shared_context(inbox))
    return (RenderedFile(f"tests/test_{inbox.module}.py", text, FileKind.DERIVED),)
