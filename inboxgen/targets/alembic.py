"""Alembic's files: a revision that carries its SQL per dialect, and the environment of `--init-alembic`."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from inboxgen.changes import Check, Outside
from inboxgen.changes.sql import ago, quoted, table_name
from inboxgen.model import Dialect, FileKind, Inbox, RenderedFile
from inboxgen.names import snake_case
from inboxgen.render import python_block, render

INI = "alembic.ini"
SCRIPT_FOLDER = "migrations"

# Alembic's own ids are 12 digits too, and its version table holds 32 characters.
REVISION_DIGITS = 12

NO_CHECKS: Mapping[Dialect, Sequence[Check]] = {}


def revision_id(normal_form_lines: Iterable[str], parent: str | None) -> str:
    """The id of the revision that leads from `parent` to this spec: a hash, so that two runs agree on it."""
    text = "\n".join((parent or "", *normal_form_lines))
    return hashlib.sha256(text.encode()).hexdigest()[:REVISION_DIGITS]


def revision_name(inbox: Inbox, revision: str, slug: str) -> str:
    """The file's name inside its version folder."""
    return f"{revision}_{snake_case(inbox.name)}_{slug}.py"


def revision_file(
    inbox: Inbox,
    *,
    revision: str,
    parent: str | None,
    slug: str,
    up: Mapping[Dialect, Sequence[str]],
    down: Mapping[Dialect, Sequence[str]],
    order: str,
    branch: str = "",
    drops_inbox: Collection[Dialect] = (),
    up_checks: Mapping[Dialect, Sequence[Check]] = NO_CHECKS,
    down_checks: Mapping[Dialect, Sequence[Check]] = NO_CHECKS,
    stepwise: bool = False,
) -> str:
    """The text of one revision for all dialects; statements come without terminators and are sent as they stand.

    `order` says who goes first and what old replicas do meanwhile; blank lines part its paragraphs. `branch` is the
    label that this revision gives to a line of its own. On `drops_inbox` the downgrade drops the table of markers: it
    is refused while one of them is still needed. `stepwise` statements belong together: as a script for SQLite they
    come with a transaction.
    """
    paragraphs = [" ".join(paragraph.split()) for paragraph in order.split("\n\n")]
    markers = [(dialect, _needed_markers_query(inbox, dialect)) for dialect in up if dialect in drops_inbox]
    if markers:
        paragraphs.append(
            f"Its downgrade drops the inbox: stop the consumers first. It is refused while the inbox holds "
            f"{_needed_markers(inbox)}, unless it is asked for by name: "
            f"`alembic -x drop_inbox={inbox.table.name} downgrade ...`."
        )
    checked = {"UPGRADE_CHECKS": up_checks, "DOWNGRADE_CHECKS": down_checks}
    return render(
        "revision.py.j2",
        inbox=inbox,
        exclusive_lock=f"LOCK TABLE {table_name(Dialect.POSTGRESQL, inbox)} IN ACCESS EXCLUSIVE MODE",
        message=f"{inbox.name}: {slug.replace('_', ' ')}",
        paragraphs=paragraphs,
        revision=revision,
        parent=parent,
        branch_labels=(branch,) if branch else None,
        dialects=tuple(up),
        stepwise=stepwise,
        outside=any(isinstance(each, Outside) for sql in (*up.values(), *down.values()) for each in sql),
        listed=_listed,
        checked={name: list(rows.items()) for name, rows in checked.items() if any(rows.values())},
        overridden=next((each.unless for rows in up_checks.values() for each in rows), ""),
        up=list(up.items()),
        down=list(down.items()),
        markers=markers,
        needed_markers=_needed_markers(inbox),
        table=inbox.table.name,
    )


def _listed(statement: str) -> str:
    text = python_block(statement)
    return f"Outside({text})" if isinstance(statement, Outside) else text


def init_files(inbox: Inbox) -> tuple[RenderedFile, ...]:
    """What `--init-alembic` writes besides the first revision, which makes the version folder."""
    source_folder = inbox.package.parent.as_posix()
    files = {
        INI: render("alembic/alembic.ini.j2", inbox=inbox, source_folder="" if source_folder == "." else source_folder),
        f"{SCRIPT_FOLDER}/env.py": render("alembic/env.py.j2", inbox=inbox),
        f"{SCRIPT_FOLDER}/script.py.mako": render("alembic/script.py.mako.j2", inbox=inbox),
    }
    return tuple(RenderedFile(path, text, FileKind.YOURS) for path, text in files.items())


def _needed_markers(inbox: Inbox) -> str:
    if inbox.retention is None:
        return "a marker"
    return f"a marker younger than {_duration(inbox.retention.window)}"


def _duration(window: timedelta) -> str:
    if window.seconds or not window.days:
        return f"{int(window.total_seconds())} seconds"
    return f"{window.days} day{'s' if window.days != 1 else ''}"


def _needed_markers_query(inbox: Inbox, dialect: Dialect) -> str:
    received, processed = (quoted(dialect, name) for name in (inbox.table.received_at, inbox.table.processed_at))
    # A marker that is not committed yet counts too; PostgreSQL has a statement of its own for that.
    lock = " WITH (TABLOCKX, HOLDLOCK)" if dialect is Dialect.MSSQL else ""
    lines = ["SELECT CASE WHEN EXISTS (", f"    SELECT 1 FROM {table_name(dialect, inbox)}{lock}"]
    if inbox.retention is not None:
        moment = ago(dialect, int(inbox.retention.window.total_seconds()))
        lines.append(f"    WHERE {received} > {moment}")
        lines.append(f"       OR {processed} > {moment}")
    return "\n".join((*lines, ") THEN 1 ELSE 0 END"))
