"""`inboxgen explain CODE`."""

from __future__ import annotations

import difflib

import click
from click.shell_completion import CompletionItem


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    from inboxgen.explain import codes

    return [CompletionItem(code) for code in codes() if code.startswith(incomplete.upper())]


@click.command()
@click.argument("code", shell_complete=_complete)
def explain(code: str) -> None:
    """Say what a finding's CODE means, why it is one, and how it is mended."""
    from inboxgen.cli.output import result
    from inboxgen.explain import codes
    from inboxgen.explain import explain as page

    try:
        result(page(code))
    except LookupError as error:
        near = difflib.get_close_matches(code.upper(), codes(), n=3)
        raise click.UsageError(f"{error}." + (f" Did you mean {', '.join(near)}?" if near else "")) from None
