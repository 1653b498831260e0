"""Inbox → files: everything that a run could write, made from the spec, the record and Alembic's heads alone."""

from __future__ import annotations

from dataclasses import dataclass, replace

from inboxgen.lock import NOTHING_EARLIER, Earlier, Lock
from inboxgen.model import Inbox, RenderedFile
from inboxgen.revisions import AlembicEnvironment, new_environment
from inboxgen.spec import normal_form
from inboxgen.targets import alembic, golden
from inboxgen.targets.package import package_files
from inboxgen.targets.race_kit import race_kit
from inboxgen.targets.recorded import absent
from inboxgen.targets.revision import render_revision


@dataclass(frozen=True, slots=True)
class Tree:
    """The files as they should be; `head` is our last revision and `parent` what it follows, empty without one.

    `spec` is the normal form of what they were rendered for: on the way to the spec's own it may lie between.
    `unsettled` is the normal form before a change that old replicas still live with, `earlier` what was before the
    last revision; `notes` are for who runs it. `absent` tells how the dialects were left that are here no more.
    """

    files: tuple[RenderedFile, ...]
    spec: tuple[str, ...]
    head: str
    parent: str
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    earlier: Earlier = NOTHING_EARLIER
    absent: tuple[str, ...] = ()


def render_tree(
    inbox: Inbox,
    lock: Lock | None,
    environment: AlembicEnvironment | None,
    *,
    init_alembic: bool = False,
    after: str = "",
    settled: bool = False,
) -> Tree:
    """Render every file of `inbox`; a revision only if the record lacks one for the present schema.

    `settled` says that nothing runs any more on what the last change left of the schema before it.

    Raises RepositoryError for a change of the schema that is not made, and where Alembic's heads leave open, or
    forbid, where the revision belongs.
    """
    begin = inbox.migrations.enabled and environment is None and init_alembic
    if begin:
        environment = new_environment(alembic.INI, alembic.SCRIPT_FOLDER)
    revision = render_revision(inbox, lock, environment, after=after, settled=settled)
    inbox = revision.inbox
    files = (
        *package_files(inbox),
        *golden.golden_files(inbox),
        *race_kit(inbox),
        *revision.files,
        *(alembic.init_files(inbox) if begin else ()),
    )
    spec = normal_form(replace(inbox, leftover=None))
    return Tree(
        files,
        spec,
        revision.id,
        revision.parent,
        revision.unsettled,
        revision.notes,
        revision.earlier,
        absent(inbox, lock) if lock else (),
    )
