"""`inboxgen diff SPEC`."""

from __future__ import annotations

import click

from inboxgen.report import Exit


@click.command()
@click.argument("spec", type=click.Path())
@click.option("--stat", "only_stat", is_flag=True, help="Only the number of lines per file.")
def diff(spec: str, only_stat: bool) -> Exit:
    """Show what `new` would change, as a unified diff, SQL first. Answers 1 if there is something. Writes nothing."""
    from inboxgen.cli.output import has_color, result, talk
    from inboxgen.cli.workspace import open_workspace, prepare

    workspace = open_workspace(spec)
    if workspace.fresh:
        return Exit.DONE
    from inboxgen.diff import changes, stat, unified
    from inboxgen.report import text

    _, plan = prepare(workspace, init_alembic=False)
    found = changes(plan)
    result((stat if only_stat else unified)(found, has_color()))
    if plan.refused:
        talk(text(plan.refused, has_color(err=True)))
        return Exit.REFUSED
    talk(text(plan.misfits if found else plan.stale, has_color(err=True)))
    return Exit.STALE if plan.stale else Exit.DONE
