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
    from inboxgen.cli.output import has_color, result, talk
    from inboxgen.cli.survey import survey
    from inboxgen.cli.workspace import open_workspace, prepare, recorded_specs
    from inboxgen.plan import Options
    from inboxgen.report import text, up_to_date
    from inboxgen.talk import next_steps, reported, written

    options = Options(force)
    found = survey(specs or recorded_specs(), options)
    if found.refused:
        talk(text(found.refused, has_color(err=True)))
        return found.worst
    for spec in found.fresh:
        result(up_to_date(spec))
    moved = False
    for inbox, plan in found.plans:
        if moved:  # a revision was written since: this plan may have to follow it
            inbox, plan = prepare(open_workspace(plan.spec), options=options)
        apply(plan)
        moved |= plan.revision is not None
        result(written(plan, has_color()))
        talk(reported(plan, has_color(err=True)) + next_steps(inbox, plan))
    return Exit.DONE
