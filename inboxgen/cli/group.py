"""A group whose verbs are imported when they are called, so that help and completion are quick."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """Verb `x` is the command `x` of the module `inboxgen.cli.x`; `verbs` holds the help line of each."""

    def __init__(self, *args: Any, verbs: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.verbs = verbs

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of a first use, not of the alphabet."""
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the verb's module."""
        if cmd_name not in self.verbs:
            return None
        command: click.Command = getattr(import_module(f"inboxgen.cli.{cmd_name}"), cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Suggest the nearest verb for an unknown one; click does so only for commands that are loaded."""
        name = args[0]
        if name not in self.verbs and not ctx.resilient_parsing:
            from difflib import get_close_matches

            if near := get_close_matches(name, self.verbs, n=1):
                ctx.fail(f"No such command {name!r}. Did you mean {near[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.verbs.items()))


def version(context: click.Context, _: click.Parameter, value: bool) -> None:
    """Print the version and leave."""
    if value and not context.resilient_parsing:
        from inboxgen import __version__

        click.echo(f"inboxgen {__version__}")
        context.exit()
