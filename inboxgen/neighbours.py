"""What lies around a spec and bears on it: a record that was lost, another spec's table, handlers under an old name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from inboxgen.changes import stage
from inboxgen.findings import Finding, RepositoryError
from inboxgen.lock import HEADER, Lock, parse_lock, path_of
from inboxgen.model import Inbox
from inboxgen.names import snake_case
from inboxgen.refusals import refusal
from inboxgen.revisions import AlembicEnvironment
from inboxgen.spec import from_normal_form, normal_form
from inboxgen.tree import Repository, find_locks, read_file

# A line that every revision of ours has.
_OUR_REVISION = "\nUPGRADE: dict[str, tuple[str, ...]] = {\n"


def refusals(
    inbox: Inbox, lock: Lock | None, environment: AlembicEnvironment, repository: Repository, spec: str
) -> tuple[Finding, ...]:
    """Why a revision of this spec must not be added to this environment; places are relative to the spec's folder."""
    others = _same_table(inbox, lock, environment, repository)
    found = [refusal("R415", inbox.spec_path, spec, other) for other in others]
    if lock is None:
        ours = re.compile(rf"(.*/)?[0-9a-f]{{12}}_{re.escape(snake_case(inbox.name))}_(create|take_over)_inbox\.py")
        lost = [each.path for each in environment.revisions.values() if ours.fullmatch(each.path)]
        found += [refusal("R414", path, spec, repository.shown(path_of(inbox.spec_path))) for path in lost]
    else:
        found += [refusal("R421", path, spec) for path in _unrecorded(inbox, lock, environment, repository)]
    return tuple(found)


def _unrecorded(inbox: Inbox, lock: Lock, environment: AlembicEnvironment, repository: Repository) -> Iterator[str]:
    """Our revisions of this inbox that no record names; a user's own may be called alike."""
    named = re.compile(rf"(.*/)?[0-9a-f]{{12}}_{re.escape(snake_case(inbox.name))}_\w+\.py")
    known = {entry.path for entry in (*lock.entries, *lock.pending)}
    pending = {each.revision for each in lock.pending_revisions}
    for each in environment.revisions.values():
        recorded = each.path in known or each.id in pending
        if not recorded and named.fullmatch(each.path) and _OUR_REVISION in (repository.read(each.path).text or ""):
            yield each.path


def moved_handlers(inbox: Inbox, lock: Lock | None) -> Mapping[str, str]:
    """Where a handler belongs now → where it belonged before, by the stored name of its consumer."""
    before = from_normal_form(lock.spec) if lock and lock.spec else inbox
    places = {each.stored_name: f"{before.package}/handlers/{each.identifier}.py" for each in before.consumers}
    moves = {
        f"{inbox.package}/handlers/{each.identifier}.py": places[each.stored_name]
        for each in inbox.consumers
        if each.stored_name in places
    }
    return {new: old for new, old in moves.items() if new != old}


def _same_table(
    inbox: Inbox, lock: Lock | None, environment: AlembicEnvironment, repository: Repository
) -> Iterator[str]:
    """The records of other specs that put the same table into the same environment, as the caller names them."""
    aim = stage(from_normal_form(lock.spec), inbox) if lock and lock.spec else inbox
    tables = _tables(normal_form(inbox), normal_form(aim), lock.unsettled if lock else ())
    folders = {repository.locate(folder).resolve() for folder in environment.version_folders}
    for path in find_locks(repository.root, HEADER):
        if path.resolve() == repository.locate(path_of(inbox.spec_path)).resolve():
            continue
        try:
            other = parse_lock(read_file(path).text or "", path.name)
        except RepositoryError:  # said when that spec is asked for
            continue
        into = {(path.parent / each.path).parent.resolve() for each in other.entries if each.path.endswith(".py")}
        if folders & into and tables & _tables(other.spec, other.unsettled):
            yield Path(os.path.relpath(path)).as_posix()


def _tables(*specs: tuple[str, ...]) -> set[tuple[str | None, ...]]:
    """Which tables these normal forms name; an empty one names none."""
    said = [dict(line.split("=", 1) for line in lines if line.startswith("table.")) for lines in specs if lines]
    return {tuple(map(table.get, ("table.name", "table.schema", "table.per_tenant"))) for table in said}
