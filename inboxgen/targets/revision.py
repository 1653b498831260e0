"""The next revision of the schema: Alembic's file and its SQL scripts, or nothing where the schema has not changed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from inboxgen.findings import Finding, Place, RepositoryError
from inboxgen.lock import Lock
from inboxgen.model import FileKind, Inbox, RenderedFile
from inboxgen.revisions import AlembicEnvironment
from inboxgen.schema import create_statements, drop_statements
from inboxgen.spec import from_normal_form, normal_form
from inboxgen.targets.alembic import revision_file, revision_id, revision_name
from inboxgen.targets.golden import revision_scripts

CREATE_ORDER = """\
Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.
"""


@dataclass(frozen=True, slots=True)
class RenderedRevision:
    """A revision's files, none if `id` is one that was written before."""

    id: str
    parent: str
    files: tuple[RenderedFile, ...] = ()


def render_revision(
    inbox: Inbox, lock: Lock | None, environment: AlembicEnvironment | None, *, after: str
) -> RenderedRevision:
    """The revision that leads from the recorded schema to that of `inbox`."""
    if lock and lock.head:
        if environment:
            environment.head_after(lock.head)
        _refuse_changes(inbox, lock)
        return RenderedRevision(lock.head, "")
    parent = environment.first_parent(after=after, branch=inbox.migrations.branch) if environment else None
    id_ = revision_id(normal_form(inbox), parent)
    slug = "create_inbox"
    up = {dialect: create_statements(inbox, dialect) for dialect in inbox.dialects}
    down = {dialect: drop_statements(inbox, dialect) for dialect in inbox.dialects}
    files = revision_scripts(inbox, f"0001_{id_}_{slug}", up, down, CREATE_ORDER)
    if environment:
        path = PurePosixPath(environment.folder_after(parent)) / revision_name(inbox, id_, slug)
        begins_branch = inbox.migrations.branch and parent is None
        text = revision_file(
            inbox,
            revision=id_,
            parent=parent,
            slug=slug,
            up=up,
            down=down,
            order=CREATE_ORDER,
            branch=inbox.migrations.branch if begins_branch else "",
            drops_inbox=inbox.dialects,
        )
        files += (RenderedFile(path.as_posix(), text, FileKind.FROZEN),)
    return RenderedRevision(id_, parent or "", files)


def _refuse_changes(inbox: Inbox, lock: Lock) -> None:
    """What the database holds is history; a schema that differs from it needs a migration."""
    before = from_normal_form(lock.spec)
    if before.dialects != inbox.dialects or any(
        create_statements(before, dialect) != create_statements(inbox, dialect) for dialect in inbox.dialects
    ):
        raise RepositoryError(
            [
                Finding(
                    Place(inbox.spec_path),
                    "E950",
                    "the spec asks for another schema than the one that is migrated already",
                    "migrations from one schema to another are not built yet",
                    "take the change back, or begin a new inbox with a table of its own",
                )
            ]
        )
