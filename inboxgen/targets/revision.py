"""The next revision of the schema: Alembic's file and its SQL scripts, or nothing where the schema has not changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from inboxgen.changes import (
    Change,
    Migration,
    Steps,
    detect,
    refuse,
    refuse_backfills,
    remembering,
    removed_consumers,
    stage,
    take_over,
)
from inboxgen.changes.refusals import refused
from inboxgen.dialects.titles import TITLES
from inboxgen.findings import RepositoryError
from inboxgen.lock import NOTHING_EARLIER, Earlier, Lock
from inboxgen.model import Dialect, FileKind, Inbox, RenderedFile
from inboxgen.revisions import AlembicEnvironment
from inboxgen.schema import create_statements, drop_statements
from inboxgen.spec import from_normal_form, normal_form, schema_of
from inboxgen.targets.alembic import revision_file, revision_id, revision_name
from inboxgen.targets.golden import revision_scripts
from inboxgen.targets.recorded import left_before, left_now, unsettled_change

CREATE_ORDER = """\
Migrate first: it creates the inbox, and nothing that runs today uses it.

Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.
"""


@dataclass(frozen=True, slots=True)
class RenderedRevision:
    """A revision's files, none if `id` is one that was written before.

    `inbox` is the one to render: as far on the way to the spec as this run leads, with what an unsettled change has
    left, and then `unsettled` is the spec before it.
    `earlier` is what was before this revision.
    `notes` are sentences for whoever runs the change.
    """

    id: str
    parent: str
    inbox: Inbox
    unsettled: tuple[str, ...] = ()
    files: tuple[RenderedFile, ...] = ()
    notes: tuple[str, ...] = ()
    earlier: Earlier = NOTHING_EARLIER


def render_revision(
    inbox: Inbox, lock: Lock | None, environment: AlembicEnvironment | None, *, after: str, settled: bool = False
) -> RenderedRevision:
    """The revision that leads from the recorded schema to that of `inbox`, or with `settled` to its end.

    Raises RepositoryError for a change that is not made, with the way by hand.
    """
    if not lock or not lock.head:
        parent = environment.first_parent(after=after, branch=inbox.migrations.branch) if environment else None
        id_, files = _write(inbox, _first(inbox), environment, parent, number=1)
        return RenderedRevision(id_, parent or "", inbox, files=files)
    ours = tuple(each.id for each in environment.revisions.values() if lock.entry(each.path)) if environment else ()
    parent = environment.head_after(lock.head, ours=ours) if environment else lock.head
    recorded = from_normal_form(lock.spec)
    notes = removed_consumers(recorded, inbox)
    aim = stage(recorded, remembering(recorded, inbox) if lock.unsettled else inbox)
    change, unsettled = _change(recorded, aim, lock), lock.unsettled
    migration, begun = change.expand if change else None, change
    if change:
        unsettled = schema_of(lock.spec)
    elif change := _unsettled(aim, lock):
        refuse_backfills(change, inbox)
        if settled:
            migration, begun = change.contract, change.following
            change, aim, unsettled = begun, inbox, schema_of(lock.spec) if begun else ()
    if begun and begun.contract:
        notes += (f"when no old replica is left: inboxgen new {inbox.spec_path} --settled",)
        if begun.new.table.own_name:
            notes += (f"until then {begun.new.table.own_name} is called {begun.new.table.name}",)
    rendered = replace(aim, leftover=change.between.leftover) if change else inbox
    if not rendered.leftover and not (change and change.contract):
        rendered, unsettled = inbox, ()
    if migration is None:
        return RenderedRevision(lock.head, "", rendered, unsettled, notes=notes, earlier=lock.earlier)
    id_, files = _write(aim, migration, environment, parent, number=_number(lock) + 1)
    earlier = Earlier(lock.head, schema_of(lock.spec), lock.unsettled)
    return RenderedRevision(id_, parent, rendered, unsettled, files, notes, earlier)


def _change(recorded: Inbox, inbox: Inbox, lock: Lock) -> Change | None:
    """The change that this run makes. Raises RepositoryError if it cannot, or if the last one has to be settled."""
    refuse(recorded, inbox)
    change = detect(recorded, inbox)
    if change:
        change = _readded(change, lock)
    earlier = unsettled_change(lock) if change else None
    if earlier and earlier.contract:
        raise RepositoryError([refused("R602", inbox, inbox.spec_path)])
    return change


def _unsettled(aim: Inbox, lock: Lock) -> Change | None:
    """The change that waits for its end. Raises RepositoryError where the spec would make another one of it."""
    begun, change = unsettled_change(lock), unsettled_change(lock, aim)
    if begun and (not change or change.row is not begun.row):
        raise RepositoryError([refused("R602", aim, aim.spec_path)])
    return change


def _readded(change: Change, lock: Lock) -> Change | None:
    """A dialect that comes back has its tables. Raises RepositoryError unless they are as all others are by now."""
    known = left_before(lock)
    back = [dialect for dialect in change.new.dialects if dialect in known and dialect not in change.old.dialects]
    if not back:
        return change
    if late := [dialect for dialect in back if known[dialect] != left_now(lock, dialect)]:
        raise RepositoryError([refused("R613", change.new, ", ".join(late))])
    return detect(replace(change.old, dialects=(*change.old.dialects, *back)), change.new)


def _number(lock: Lock) -> int:
    """How many revisions of ours there are."""
    paths = [PurePosixPath(entry.path) for entry in lock.entries if entry.kind == FileKind.FROZEN]
    return max((int(path.name.partition("_")[0]) for path in paths if path.suffix == ".sql"), default=0)


def _first(inbox: Inbox) -> Migration:
    """A new table, or with `was` the one that is there. Raises RepositoryError if that has another name."""
    if inbox.table.was not in ("", inbox.table.name):
        raise RepositoryError([refused("R616", inbox, inbox.table.was)])
    return take_over(inbox) if inbox.table.was else _create(inbox)


def _create(inbox: Inbox) -> Migration:
    return Migration(
        "create_inbox",
        CREATE_ORDER,
        {dialect: Steps(create_statements(inbox, dialect)) for dialect in inbox.dialects},
        {dialect: Steps(drop_statements(inbox, dialect)) for dialect in inbox.dialects},
        drops_inbox=inbox.dialects,
    )


def _write(
    inbox: Inbox, migration: Migration, environment: AlembicEnvironment | None, parent: str | None, *, number: int
) -> tuple[str, tuple[RenderedFile, ...]]:
    """The id of a revision, and its files."""
    id_ = revision_id(normal_form(inbox), parent)
    stepwise = not migration.drops_inbox
    files = revision_scripts(inbox, f"{number:04}_{id_}_{migration.slug}", migration)
    if environment is None:
        return id_, files
    path = PurePosixPath(environment.folder_after(parent)) / revision_name(inbox, id_, migration.slug)
    begins_branch = inbox.migrations.branch and number == 1 and parent is None
    text = revision_file(
        inbox,
        revision=id_,
        parent=parent,
        slug=migration.slug,
        up={dialect: steps.statements for dialect, steps in migration.up.items()},
        down={dialect: steps.statements for dialect, steps in migration.down.items()},
        order="\n\n".join((migration.order.strip("\n"), *_remarks(migration.up.items()))),
        branch=inbox.migrations.branch if begins_branch else "",
        drops_inbox=migration.drops_inbox,
        up_checks={dialect: steps.checks for dialect, steps in migration.up.items()},
        down_checks={dialect: steps.checks for dialect, steps in migration.down.items()},
        stepwise=stepwise,
    )
    return id_, (*files, RenderedFile(path.as_posix(), text, FileKind.FROZEN))


def _remarks(up: Iterable[tuple[Dialect, Steps]]) -> tuple[str, ...]:
    """One paragraph per way to lock and per thing to do by hand, with the databases that it holds for."""
    groups: dict[str, list[str]] = {}
    for dialect, steps in up:
        for sentence in (
            f"Locks on {{}}: {steps.locks}" if steps.locks else "",
            steps.by_hand and f"{{}}: {steps.by_hand}",
        ):
            groups.setdefault(sentence, []).append(TITLES[dialect])
    groups.pop("", None)
    return tuple(sentence.format(" and ".join(titles)) for sentence, titles in groups.items())
