"""`inboxgen init SPEC`."""

from __future__ import annotations

from pathlib import Path

import click

from inboxgen.findings import Finding, Place, RepositoryError
from inboxgen.names import snake_case

STARTER = Path(__file__).with_name("starter.yaml")


@click.command()
@click.argument("spec", type=click.Path())
def init(spec: str) -> None:
    """Write a commented starter spec to SPEC, which must not exist yet."""
    from inboxgen.apply import create
    from inboxgen.cli.output import result, talk

    path = Path(spec)
    name = snake_case(path.stem)
    starter = STARTER.read_text(encoding="utf-8")
    if name.isidentifier() and name.isascii():
        starter = starter.replace("orders", name)
    try:
        create(path, starter)
    except FileExistsError:
        what, fix = "a file is here already", f"edit it, then run `inboxgen new {spec}`"
        raise RepositoryError([Finding(Place(path.as_posix()), "R413", what, "", fix)]) from None
    except OSError as error:
        what = f"it cannot be written: {error.strerror}"
        raise RepositoryError([Finding(Place(path.as_posix()), "R411", what, "", "mend the cause")]) from None
    result(f"create {spec}\n")
    talk(f"Next: edit it, then run `inboxgen new {spec}`\n")
