"""`inboxgen check [SPEC…]`."""

from __future__ import annotations

import click

from inboxgen.report import Exit, Format


@click.command()
@click.argument("specs", metavar="[SPEC]...", nargs=-1, type=click.Path())
@click.option(
    "--format", "form", type=click.Choice([each.value for each in Format]), default="text", help="Default: text."
)
def check(specs: tuple[str, ...], form: str) -> Exit:
    """Say whether the generated files are what each SPEC says; without one, for every spec generated before.

    Answers 0 if all are, 1 if `new` would change something, 3 if it would refuse. Nothing is written.
    """
    from inboxgen.cli.output import has_color, result
    from inboxgen.cli.survey import survey
    from inboxgen.cli.workspace import recorded_specs
    from inboxgen.report import render, up_to_date

    named = specs or recorded_specs()
    found = survey(named)
    problems = (*found.refused, *found.stale)
    result(render(problems, Format(form), has_color()))
    if not problems and form == Format.TEXT:
        result("".join(up_to_date(spec) for spec in named))
    return found.exit_code
