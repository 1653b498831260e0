"""A plan goes to disk: the only writer. All or nothing, and a run that is killed anywhere is finished by the next.

The record is written first, with what is about to be written as `pending`, then the files, then the record again. So
whatever lies on the disk in between is known to be ours, and a revision that is not finished does not count as one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from inboxgen.decisions import Action
from inboxgen.findings import RepositoryError
from inboxgen.lock import Entry, Lock, format_lock, sha256
from inboxgen.model import FileKind
from inboxgen.plan import Plan, Step
from inboxgen.refusals import refusal


def apply(plan: Plan) -> bool:
    """Carry a plan out; false if there was nothing to write.

    Raises RepositoryError with every refusal of the plan before anything is written, and with R411 when the disk
    refuses: what was written by then is finished by the next run.
    """
    if plan.refused:
        raise RepositoryError(plan.refused)
    if not plan.changes and plan.after == plan.before:
        return False
    if plan.changes:
        _write_lock(plan, _announced(plan))
    for entry in plan.before.pending if plan.before else ():
        with _reported(plan, entry.path):
            _sweep(plan.repository.locate(entry.path), plan.repository.root)
    for step in plan.changes:
        with _reported(plan, step.path):
            _carry_out(step, plan.repository.locate(step.path), plan.repository.root)
    _write_lock(plan, plan.after)
    return True


def create(path: Path, text: str) -> None:
    """Write a file that must not exist. Raises FileExistsError, or the system's OSError."""
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _announced(plan: Plan) -> Lock:
    """The old record plus what this run is about to write, and what an interrupted one may have left."""
    before = plan.before or Lock()
    writes = {Entry(step.path, step.kind, sha256(step.new)) for step in plan.changes if step.new is not None}
    revisions = {plan.revision} if plan.revision else set()
    return replace(
        before,
        pending=tuple(sorted(writes.union(before.pending))),
        pending_revisions=tuple(sorted(revisions.union(before.pending_revisions))),
    )


def _write_lock(plan: Plan, lock: Lock) -> None:
    path = plan.repository.locate(plan.lock_path)
    found = plan.repository.read(plan.lock_path)
    if found.obstacle:
        raise RepositoryError([refusal("R403", plan.repository.shown(plan.lock_path), plan.spec, found.obstacle)])
    with _reported(plan, plan.lock_path):
        _write(path, format_lock(lock), crlf=found.crlf, durable=True)


def _carry_out(step: Step, path: Path, root: Path) -> None:
    if step.action is Action.DELETE:
        path.unlink(missing_ok=True)
        _remove_empty(path.parent, root)
    elif step.new is not None:
        _write(path, step.new, crlf=step.crlf, durable=step.kind is FileKind.FROZEN)


def _sweep(path: Path, root: Path) -> None:
    """Remove what a killed run left beside a file that it was about to put in place."""
    temporary = _temporary(path)
    if temporary.exists():
        temporary.unlink()
        _remove_empty(path.parent, root)


def _temporary(path: Path) -> Path:
    """A fixed name, so that the next run finds it; no suffix that Python or Alembic would load."""
    return path.with_name(f".{path.name}.inboxgen")


def _remove_empty(folder: Path, root: Path) -> None:
    with suppress(OSError):  # the first folder that still holds something
        while folder != root and root in folder.parents:
            folder.rmdir()
            folder = folder.parent


def _write(path: Path, text: str, *, crlf: bool, durable: bool) -> None:
    """Replace a file at once: a reader sees the old text or the new one. It keeps its mode and its line ends."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _temporary(path)
    temporary.unlink(missing_ok=True)  # with O_EXCL below, no link that lies here is followed
    content = (text.replace("\n", "\r\n") if crlf else text).encode()
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:  # noqa: PTH123
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
    if durable:
        _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """A rename is on the disk when its folder is; Windows opens no folders."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _reported(plan: Plan, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        detail = error.strerror or str(error)
        raise RepositoryError([refusal("R411", plan.repository.shown(path), plan.spec, detail)]) from error
