"""Rendered files, the record and the disk become a plan: what to write, what to delete, what to refuse. No I/O out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from inboxgen.decisions import Action, Disk, Recorded, Row, Wanted, decide
from inboxgen.findings import Finding, Place
from inboxgen.handlers import is_handler, misfit, signatures
from inboxgen.lock import Entry, Lock, PendingRevision, sha256
from inboxgen.model import FileKind, RenderedFile
from inboxgen.refusals import misfitting, refusal, staleness
from inboxgen.tree import Found, Presence, Repository


@dataclass(frozen=True, slots=True)
class Options:
    """What the caller allows: `force` drops edits of derived files; `accept` names frozen files edited on purpose.

    `amended` are the files of the revision that is written anew.
    """

    force: bool = False
    accept: frozenset[str] = frozenset()
    amended: frozenset[str] = frozenset()


NOTHING_ALLOWED = Options()


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one path; `old` and `new` are texts with LF line ends, None where there is none."""

    path: str
    action: Action
    kind: FileKind
    old: str | None = None
    new: str | None = None
    crlf: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a run will do, and the record it leaves.

    `before` is None where nothing was generated yet; `revision` is the one that this run adds, if any, and `notes`
    what is to be said of the change besides. `misfits` are the user's handlers that cannot be called as they will be.
    """

    spec: str
    lock_path: str
    repository: Repository
    steps: tuple[Step, ...]
    refused: tuple[Finding, ...]
    before: Lock | None
    after: Lock
    revision: PendingRevision | None
    notes: tuple[str, ...] = ()
    misfits: tuple[Finding, ...] = ()

    @property
    def changes(self) -> tuple[Step, ...]:
        """The steps that write or delete."""
        return tuple(step for step in self.steps if step.action in (Action.CREATE, Action.UPDATE, Action.DELETE))

    @property
    def reported(self) -> tuple[str, ...]:
        """The user's handlers that nothing calls any more."""
        return tuple(step.path for step in self.steps if step.action is Action.REPORT and is_handler(step.path))

    @property
    def stale(self) -> tuple[Finding, ...]:
        """Why the repository is not what the spec says. A spec that means the same in other words is not stale."""
        if self.before is None:
            return (staleness("S301", self.spec, self.spec),)
        shown, lock_path = self.repository.shown, self.repository.shown(self.lock_path)
        found = [staleness("S302", lock_path, self.spec)] if self.before.interrupted else []
        found += [staleness(_STALE[step.action], shown(step.path), self.spec) for step in self.changes]
        if not found and replace(self.after, source=self.before.source) != self.before:
            found.append(staleness("S306", lock_path, self.spec))
        return (*found, *self.misfits)


_STALE = {Action.CREATE: "S303", Action.UPDATE: "S304", Action.DELETE: "S305"}


def make_plan(
    files: Collection[RenderedFile],
    wanted: Lock,
    parent: str,
    before: Lock | None,
    repository: Repository,
    *,
    spec: str,
    lock_path: str,
    options: Options = NOTHING_ALLOWED,
    moves: Mapping[str, str] = MappingProxyType({}),
    notes: tuple[str, ...] = (),
) -> Plan:
    """Decide over every path that is rendered or recorded.

    `wanted` is the new record without its entries, `parent` that of the revision it may add. Paths are relative to the
    spec's folder; only `spec` is as the caller wrote it. `moves` is where a handler belongs now → where it
    belonged before. Every refusal is collected; none is raised.
    """
    lock = before or Lock()
    judge = _Judge(lock, repository, spec, options)
    rendered = {file.path: file for file in files}
    recorded = {entry.path: FileKind(entry.kind) for entry in (*lock.pending, *lock.entries)}
    for path in sorted(rendered.keys() | recorded.keys()):
        judge.decide(path, rendered.get(path), recorded.get(path))
    judge.refuse_moved_handlers(moves)
    judge.refuse_unknown(options.accept)
    revision = PendingRevision(wanted.head, parent) if wanted.head not in ("", lock.head) else None
    entries = tuple(sorted(judge.entries))
    edited = {entry.path for entry in entries if entry.kind == FileKind.FROZEN} & {*lock.accepted, *options.accept}
    after = replace(wanted, entries=entries, accepted=tuple(sorted(edited - options.amended)))
    steps, refused = tuple(judge.steps), tuple(sorted(judge.refused))
    misfits = tuple(_misfits(steps, wanted, repository))
    return Plan(spec, lock_path, repository, steps, refused, before, after, revision, notes, misfits)


def _misfits(steps: Iterable[Step], wanted: Lock, repository: Repository) -> Iterator[Finding]:
    calls = signatures(wanted.spec)
    for step in steps:
        signature = calls.get(step.path) if step.kind is FileKind.YOURS else None
        if signature and step.old is not None and (found := misfit(step.old, signature)):
            place = Place(repository.shown(step.path), found.line, found.column)
            yield misfitting(place, found.source, found.found, str(signature))


class _Judge:
    def __init__(self, lock: Lock, repository: Repository, spec: str, options: Options) -> None:
        self.lock, self.repository, self.spec, self.options = lock, repository, spec, options
        self.steps: list[Step] = []
        self.refused: list[Finding] = []
        self.entries: list[Entry] = []
        self.hashes: dict[str, set[str]] = {}
        for entry in (*lock.entries, *lock.pending):
            self.hashes.setdefault(entry.path, set()).add(entry.sha256)

    def decide(self, path: str, file: RenderedFile | None, kind: FileKind | None) -> None:
        found = self.repository.read(path)
        wanted = Wanted(file.kind) if file else Wanted.NOTHING
        row = decide(wanted, self._recorded(path, kind), self._disk(path, file, found))
        action = self._override(row, path) or row.action
        new = file.text if file and action is not Action.DELETE else None
        owner = file.kind if file else kind
        assert owner is not None
        self.steps.append(Step(path, action, owner, found.text, new, found.crlf))
        if action is Action.REFUSE:
            edited = path in self.options.amended and row.override is not None
            self._refuse("R420" if edited else row.code, path, found.obstacle)
        elif entry := self._entry(path, file, found, action):
            self.entries.append(entry)

    def _recorded(self, path: str, kind: FileKind | None) -> Recorded:
        if entry := self.lock.entry(path):
            return Recorded(entry.kind)
        if kind is None:
            return Recorded.NOTHING
        return Recorded.YOURS if kind is FileKind.YOURS else Recorded.PENDING

    def _disk(self, path: str, file: RenderedFile | None, found: Found) -> Disk:
        if found.presence is not Presence.FILE:
            return Disk(found.presence.value)
        if file and found.text == file.text:
            return Disk.EQUAL
        ours = found.text is not None and sha256(found.text) in self.hashes.get(path, ())
        return Disk.OURS if ours else Disk.OTHER

    def _override(self, row: Row, path: str) -> Action | None:
        allowed = path in self.options.accept if row.override is Action.KEEP else self.options.force
        return row.override if allowed else None

    def _entry(self, path: str, file: RenderedFile | None, found: Found, action: Action) -> Entry | None:
        recorded = self.lock.entry(path)
        if action in (Action.DELETE, Action.FORGET) or (action is Action.REPORT and is_handler(path)):
            return None
        if recorded and recorded.kind == FileKind.FROZEN:
            return replace(recorded, sha256=sha256(found.text)) if found.text is not None else recorded
        if recorded and recorded.kind == FileKind.YOURS and (file is None or action is Action.KEEP):
            return recorded
        return Entry(path, file.kind, sha256(file.text)) if file else None

    def refuse_moved_handlers(self, moves: Mapping[str, str]) -> None:
        """A handler that lies where the spec used to put it: a skeleton beside it would take its messages."""
        left = {step.path for step in self.steps if step.action is Action.REPORT}
        for step in self.steps:
            old = moves.get(step.path)
            if step.action is Action.CREATE and old in left:
                self._refuse("R409", step.path, self.repository.shown(str(old)))

    def refuse_unknown(self, accepted: Iterable[str]) -> None:
        """`--accept` of a path that is no frozen file of this spec is a slip of the keyboard."""
        for path in sorted(accepted):
            entry = self.lock.entry(path)
            if entry is None or entry.kind != FileKind.FROZEN:
                self._refuse("R410", path)

    def _refuse(self, code: str, path: str, detail: str = "") -> None:
        self.refused.append(refusal(code, self.repository.shown(path), self.spec, detail))
