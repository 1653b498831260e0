"""The one place where anything is printed: results to stdout, talk to stderr."""

from __future__ import annotations

import os
import sys

import click


def has_color(err: bool = False) -> bool:
    """Whether to write colours: on a terminal, unless https://no-color.org or the terminal says no."""
    stream = sys.stderr if err else sys.stdout
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def result(text: str) -> None:
    """What was asked for; `text` has its line ends, and colours only where `has_color` said so."""
    click.echo(text, nl=False, color=True)


def talk(text: str) -> None:
    """Everything besides: reasons, advice, what to do next."""
    click.echo(text, nl=False, err=True, color=True)
