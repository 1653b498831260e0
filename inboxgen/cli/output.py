"""The one place where anything is printed: results to stdout, talk to stderr."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click


def has_color(err: bool = False) -> bool:
    """Whether to write colours: on a terminal, unless https://no-color.org or the terminal says no."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def result(text: str) -> None:
    """What was asked for; `text` has its line ends, and colours only where `has_color` said so."""
    click.echo(_encodable(text, sys.stdout), nl=False, color=True)


def talk(text: str) -> None:
    """Everything besides: reasons, advice, what to do next."""
    click.echo(_encodable(text, sys.stderr), nl=False, err=True, color=True)


def _encodable(text: str, stream: TextIO) -> str:
    """`text` with escapes for what the stream cannot say: a name that is no UTF-8, a terminal of another code page."""
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)
