"""`inboxgen schema`."""

from __future__ import annotations

import click


@click.command()
def schema() -> None:
    """Print the JSON Schema of the spec, for editors and other tools."""
    import json

    from inboxgen.cli.output import result
    from inboxgen.spec import json_schema

    result(json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n")
