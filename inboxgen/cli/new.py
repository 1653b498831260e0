"""`inboxgen new SPEC`."""

from __future__ import annotations

import click

from inboxgen.report import Exit


@click.command()
@click.argument("spec", type=click.Path())
@click.option("--init-alembic", is_flag=True, help="Write an Alembic environment too; it is yours afterwards.")
@click.option(
    "--after", metavar="REV", default="", help="Attach the first revision to REV, where there are more heads."
)
@click.option("--force", is_flag=True, help="Drop what was edited by hand in derived files.")
@click.option(
    "--accept", metavar="PATH", multiple=True, type=click.Path(), help="Keep an edited frozen file; may be repeated."
)
@click.option("--settled", is_flag=True, help="No old replica is left: end what the last change began.")
@click.option("--amend", is_flag=True, help="Write our last revision anew; no database must have it yet.")
@click.option("--dry-run", is_flag=True, help="Say what would be written, and write nothing.")
def new(
    spec: str,
    init_alembic: bool,
    after: str,
    force: bool,
    accept: tuple[str, ...],
    settled: bool,
    amend: bool,
    dry_run: bool,
) -> Exit:
    """Write everything that SPEC describes, or bring it up to date. Running it again changes nothing."""
    from inboxgen.cli.output import has_color, result, talk
    from inboxgen.cli.workspace import accepted, open_workspace, prepare

    workspace = open_workspace(spec)
    if workspace.fresh and not (init_alembic or after or accept or settled or amend):
        from inboxgen.report import up_to_date

        result(up_to_date(spec))
        return Exit.DONE
    if after and workspace.lock and workspace.lock.head and not (amend or workspace.lock.interrupted):
        raise click.UsageError(f"--after attaches the first revision, and {spec} has one. Leave the option out.")
    from inboxgen.apply import apply
    from inboxgen.findings import RepositoryError
    from inboxgen.plan import Options
    from inboxgen.talk import next_steps, reported, written

    options = Options(force, accepted(accept, workspace))
    inbox, plan = prepare(
        workspace, init_alembic=init_alembic, after=after, settled=settled, amend=amend, options=options
    )
    if plan.refused:
        raise RepositoryError(plan.refused)
    if not dry_run:
        apply(plan)
    result(written(plan, has_color()))
    talk(reported(plan, has_color(err=True)) + ("" if dry_run else next_steps(inbox, plan)))
    return Exit.DONE
