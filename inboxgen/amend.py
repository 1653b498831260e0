"""Taking our last revision back, so that the next run writes it anew: the record as it was before that revision."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePosixPath

from inboxgen.findings import RepositoryError
from inboxgen.lock import NOTHING_EARLIER, Entry, Lock, PendingRevision
from inboxgen.model import FileKind
from inboxgen.refusals import refusal
from inboxgen.revisions import AlembicEnvironment
from inboxgen.spec import with_schema_of


def amended(
    lock: Lock | None, environment: AlembicEnvironment | None, *, spec_path: str, lock_path: str, spec: str
) -> Lock:
    """The record without our last revision, which counts as one that a run did not finish.

    Its files are ours to write again: what was edited by hand is refused as in a derived file. Consumers and messages
    stay as they are. `spec` is as the caller named it; the other paths are relative to its folder.

    Raises RepositoryError: R416 nothing to amend, R417 the last run has to be finished first, R418 another revision
    follows it, R419 the record does not tell what was before it.
    """
    if lock and lock.interrupted:
        raise RepositoryError([refusal("R417", lock_path, spec)])
    if lock is None or not lock.head:
        raise RepositoryError([refusal("R416", spec_path, spec)])
    known = environment.revisions if environment else {}
    if following := [each for each in known.values() if lock.head in (*each.parents, *each.depends_on)]:
        raise RepositoryError([refusal("R418", each.path, spec, lock.head) for each in following])
    own = own_files(lock)
    entries = tuple(_ours_again(entry, lock) if entry.path in own else entry for entry in lock.entries)
    if not lock.earlier.head and any(entry.kind == FileKind.FROZEN for entry in entries):
        raise RepositoryError([refusal("R419", lock_path, spec)])
    parents = known[lock.head].parents if lock.head in known else (lock.earlier.head,)
    return replace(
        lock,
        spec=with_schema_of(lock.earlier.spec, lock.spec) if lock.earlier.head else lock.spec,
        head=lock.earlier.head,
        unsettled=lock.earlier.unsettled,
        earlier=NOTHING_EARLIER,
        entries=entries,
        pending_revisions=(PendingRevision(lock.head, next(iter(parents), "")),),
    )


def own_files(lock: Lock | None) -> frozenset[str]:
    """The frozen files of our last revision."""
    return frozenset(entry.path for entry in lock.entries if _is_of(lock.head, entry)) if lock else frozenset()


def _is_of(revision: str, entry: Entry) -> bool:
    """Whether a file is that revision's own: `<revision>_….py` of Alembic's, or `NNNN_<revision>_….sql`."""
    return entry.kind == FileKind.FROZEN and revision in PurePosixPath(entry.path).name.split("_")[:2]


def _ours_again(entry: Entry, lock: Lock) -> Entry:
    """An edit that was accepted is the user's still: no text is what we would have left there."""
    digest = "0" * 64 if entry.path in lock.accepted else entry.sha256
    return replace(entry, kind=FileKind.DERIVED.value, sha256=digest)


def replaced(revisions: Iterable[PendingRevision], head: str) -> tuple[str, ...]:
    """What is to be said of databases that have a revision which is no more."""
    return tuple(
        f"revision {each.revision} {_fate(each, head)}: a database that has it must be taken back first, with the old "
        f"files, by `alembic downgrade {each.parent or 'base'}` or their .down.sql"
        for each in revisions
    )


def _fate(revision: PendingRevision, head: str) -> str:
    if head == revision.revision:
        return "was written anew"
    return f"is {head} now" if head not in ("", revision.parent) else "is gone"
