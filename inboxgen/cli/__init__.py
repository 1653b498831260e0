"""The command line: the only place where arguments are read and the process is left."""

from __future__ import annotations

import gc
import os
import sys

import click

from inboxgen.cli.group import LazyGroup, version
from inboxgen.cli.output import has_color, talk
from inboxgen.findings import Refusal
from inboxgen.report import Exit, exit_code, text

VERBS = {
    "init": "Write a commented starter spec.",
    "new": "Write everything that a spec describes, or bring it up to date.",
    "regenerate": "Bring the tree of every recorded spec up to date.",
    "diff": "Show what `new` would change, SQL first.",
    "check": "Say whether the generated files are what their specs say.",
    "schema": "Print the JSON Schema of the spec.",
    "explain": "Say more about the code of a finding.",
}


@click.group(cls=LazyGroup, verbs=VERBS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=version, help="Show the version.")
def inboxgen() -> None:
    """Generate an idempotent inbox from one YAML spec: SQL, migrations, models, handlers and their runtime.

    \b
    Exit codes: 0 done, 1 stale, 2 usage or bad spec, 3 refused, 70 a bug of inboxgen.
    """


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave the process with its exit code."""
    # Nearly all that a run makes lives to its end; looking through it at the usual pace took a tenth of the time.
    gc.set_threshold(100_000)
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code; nothing that a user can cause ends in a traceback."""
    try:
        result = inboxgen.main(arguments, prog_name="inboxgen", standalone_mode=False)
        sys.stdout.flush()
        return int(result or Exit.DONE)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except Refusal as error:
        talk(text(error.findings, has_color(err=True)))
        return exit_code(error)
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except (BrokenPipeError, SystemExit):  # click makes an exit of a reader that left, and of nothing else
        # What is left in the buffer has no reader; without this the interpreter complains at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.BROKEN_PIPE
    except OSError as error:  # a folder that is gone or closed to us, a full disk: the user's to mend
        where = f"{error.filename}: " if error.filename else ""
        talk(f"inboxgen: {where}{error.strerror or error}\n")
        return Exit.REFUSED
    except Exception as error:
        talk(_confess(error))
        return Exit.BUG


def _confess(error: Exception) -> str:
    import tempfile
    import traceback

    what = f"inboxgen: this is a bug of inboxgen, not of your spec: {type(error).__name__}: {error}".splitlines()[0]
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="inboxgen-", suffix=".txt", delete=False, encoding="utf-8"
        ) as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return what + "\n" + "".join(traceback.format_exception(error))
    return f"{what}\nPlease report it with the traceback in {file.name}\n"
