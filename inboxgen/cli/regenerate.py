"""`inboxgen regenerate [SPEC…]`."""

from __future__ import annotations

import click

from inboxgen.report import Exit


@click.command()
@click.argument("specs", metavar="[SPEC]...", nargs=-1, type=click.Path())
@click.option("--force", is_flag=True, help="Drop what was edited by hand in derived files.")
def regenerate(specs: tuple[str, ...], force: bool) -> Exit:
    """Do what `new` does for each SPEC; without one, for every spec below this folder that was generated before.

    All or nothing: if one is refused, none is written.
    """
    from inboxgen.apply import apply
    from inboxgen.cli import has_color
    from inboxgen.cli.survey import survey
    from inboxgen.cli.workspace import open_workspace, prepare, recorded_specs
    from inboxgen.plan import Options
    from inboxgen.report import text
    from inboxgen.talk import next_steps, reported, up_to_date, written

    options = Options(force)
    found = survey(specs or recorded_specs(), options)
    if found.refused:
        click.echo(text(found.refused, has_color(err=True)), nl=False, err=True)
        return found.worst
    for spec in found.fresh:
        click.echo(up_to_date(spec), nl=False)
    moved = False
    for inbox, plan in found.plans:
        if moved:  # a revision was written since: this plan may have to follow it
            inbox, plan = prepare(open_workspace(plan.spec), options=options)
        apply(plan)
        moved |= plan.revision is not None
        click.echo(written(plan, has_color()), nl=False)
        click.echo(reported(plan) + next_steps(inbox, plan), nl=False, err=True)
    return Exit.DONE
