"""The SQL that reviewers and DBAs read: the schema as it stands, the runtime's statements, and each revision."""

from __future__ import annotations

from collections.abc import Sequence

from inboxgen.changes import Check, Migration, in_transaction
from inboxgen.dialects.drivers import NEEDS_SAVEPOINT, drivers_for
from inboxgen.dialects.titles import TITLES
from inboxgen.model import Dialect, FileKind, Inbox, RenderedFile
from inboxgen.schema import create_statements
from inboxgen.statements import statements

_WHAT = {
    "claim": "claim: take a message; the row count, or the error, tells whether it was taken before",
    "find": "find: read a marker back after a refused claim, in a transaction of its own",
    "set savepoint": "set savepoint{with_}: after the claim; a statement that ends the transaction takes it along",
    "release savepoint": "release savepoint{with_}: before the commit; fails if the transaction was ended meanwhile",
}

WAY_BACK = "The way back."
WAY_BACK_DROPS = """\
The way back: it drops every marker, and a message that is delivered again is then handled again.

Stop the consumers first, and wait until no message of theirs can come again."""
_CLIENT = {Dialect.SQLITE: "Run it with `sqlite3 -bail`: without that, the client goes on after a failure."}


def golden_files(inbox: Inbox) -> tuple[RenderedFile, ...]:
    """What follows from the spec alone: `schema.sql` and `statements.sql` of every dialect."""
    files = []
    for dialect in inbox.dialects:
        folder = f"golden/{inbox.name}/{dialect}"
        schema = script(f"The inbox {inbox.name} on {TITLES[dialect]}", create_statements(inbox, dialect), dialect)
        drivers = drivers_for(dialect, inbox.drivers)
        silent = [name for name in drivers if name in NEEDS_SAVEPOINT]
        with_ = "" if len(silent) == len(drivers) else f", with {' and '.join(silent)}"
        sent = statements(inbox, dialect)
        parts = [f"-- {_WHAT[name].format(with_=with_)}\n{sql};" for name, sql in sent.items()]
        runtime = "\n\n".join((f"-- What the runtime of {inbox.name} sends to {TITLES[dialect]}", *parts)) + "\n"
        files.append(RenderedFile(f"{folder}/schema.sql", schema, FileKind.DERIVED))
        files.append(RenderedFile(f"{folder}/statements.sql", runtime, FileKind.DERIVED))
    return tuple(files)


def revision_scripts(inbox: Inbox, stem: str, migration: Migration) -> tuple[RenderedFile, ...]:
    """A revision's own statements, up and down, for every dialect that it changes; `stem` is its file name.

    They come with the transactions in which they belong together.
    """
    files = []
    back = WAY_BACK_DROPS if migration.drops_inbox else WAY_BACK
    for suffix, title, rows in ((".sql", migration.order, migration.up), (".down.sql", back, migration.down)):
        for dialect, steps in rows.items():
            if not steps.statements:
                continue
            sql = in_transaction(dialect, steps.statements)
            locks = f"Locks: {steps.locks}" if steps.locks else ""
            client = _CLIENT.get(dialect, "")
            paragraphs = [title.strip("\n"), client, locks, steps.by_hand, *map(_checked, steps.checks)]
            header = "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
            path = f"golden/{inbox.name}/{dialect}/{stem}{suffix}"
            files.append(RenderedFile(path, script(header, sql, dialect), FileKind.FROZEN))
    return tuple(files)


def _checked(check: Check) -> str:
    return f"Run this first; it must return no row. {check.advice}:\n{check.query};"


def script(title: str, sql: Sequence[str], dialect: Dialect) -> str:
    """Statements as a file that the database's own client runs from top to bottom."""
    comment = "\n".join(f"-- {line}".rstrip() for line in title.splitlines())
    terminator = ";\nGO" if dialect is Dialect.MSSQL else ";"
    return "\n\n".join((comment, *(f"{statement}{terminator}" for statement in sql))) + "\n"
