"""The record file: which files we wrote, for which spec, with which generator; pure text, no I/O."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from inboxgen.findings import Finding, Place, RepositoryError

# The first line tells our record from the lock files of other tools in the same repository.
HEADER = "# inboxgen's record of what it wrote. Commit it with the spec; never edit it by hand."

_CONFLICT = re.compile(r"(<{7}|\|{7}|={7}|>{7})( |$)")
_SHA256 = re.compile(r"[0-9a-f]{64}")
# The values of model.FileKind, which takes too long to import where hashes alone are compared.
_KINDS = frozenset({"derived", "frozen", "yours"})
_SINGLE = ("generator", "head", "source")
_LISTS = ("spec", "unsettled", "accepted")


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A file that we wrote: `kind` is a FileKind's value, `sha256` is over its LF text as we left it."""

    path: str
    kind: str
    sha256: str


@dataclass(frozen=True, slots=True, order=True)
class PendingRevision:
    """A revision that a run set out to write: its id and that of its parent, empty for a first one."""

    revision: str
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The schema that our last revision began with: our revision before it, and what the record said of it then."""

    head: str = ""
    spec: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()


NOTHING_EARLIER = Earlier()


@dataclass(frozen=True, slots=True)
class Lock:
    """What the record says.

    `spec` is the normal form, `source` the hash of the spec's own text, `generator` that of templates and rendering
    code, `head` our last revision (empty without one), `unsettled` the normal form before the last change of the
    schema, until `--settled` says that nothing runs on it any more. `earlier` is what `--amend` goes back to, empty
    where `head` is our first revision. `pending` and `pending_revisions` are what a run that has not finished yet meant
    to write: such a file may be there or not, and its revision does not count. `accepted` are frozen files that hold an
    edit of the user's. `absent` is `<dialect> <hash of its schema>` for each dialect that was here before, as its
    databases were left.
    """

    spec: tuple[str, ...] = ()
    source: str = ""
    generator: str = ""
    head: str = ""
    entries: tuple[Entry, ...] = ()
    pending: tuple[Entry, ...] = ()
    pending_revisions: tuple[PendingRevision, ...] = ()
    unsettled: tuple[str, ...] = ()
    earlier: Earlier = NOTHING_EARLIER
    accepted: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    _by_path: dict[str, Entry] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._by_path.update((entry.path, entry) for entry in self.entries)

    def entry(self, path: str) -> Entry | None:
        """What is recorded of a finished file."""
        return self._by_path.get(path)

    @property
    def interrupted(self) -> bool:
        """Whether the run that wrote this record was stopped before its end."""
        return bool(self.pending or self.pending_revisions)

    @property
    def finished(self) -> Lock:
        """The record without what is pending."""
        return replace(self, pending=(), pending_revisions=())


def path_of(spec: str) -> str:
    """`orders.yaml` is recorded in `orders.lock` beside it."""
    return str(PurePosixPath(spec).with_suffix(".lock"))


def sha256(text: str) -> str:
    """The hash of a text whose line ends are LF already."""
    return hashlib.sha256(text.encode()).hexdigest()


def format_lock(lock: Lock) -> str:
    """The record's text: one fact per line, sorted by word and path, `spec` lines in the order of the normal form."""
    facts = [f"{entry.kind} {entry.sha256} {entry.path}" for entry in sorted(lock.entries, key=_by_kind)]
    facts += [f"{word} {value}" for word in _SINGLE if (value := getattr(lock, word))]
    facts += [f"pending {entry.kind} {entry.sha256} {entry.path}" for entry in sorted(lock.pending, key=_by_kind)]
    facts += [f"pending head {each.revision} {each.parent}".rstrip() for each in sorted(lock.pending_revisions)]
    facts += [f"accepted {path}" for path in sorted(lock.accepted)]
    facts += [f"absent {left}" for left in sorted(lock.absent)]
    facts.sort(key=lambda fact: fact.split(" ", 1)[0])
    facts += [f"spec {line}" for line in lock.spec]
    facts += [f"unsettled {line}" for line in lock.unsettled]
    facts += [f"earlier head {lock.earlier.head}"] if lock.earlier.head else []
    facts += [f"earlier spec {line}" for line in lock.earlier.spec]
    facts += [f"earlier unsettled {line}" for line in lock.earlier.unsettled]
    return "".join(f"{line}\n" for line in (HEADER, *facts))


def parse_lock(text: str, path: str) -> Lock:
    """Read a record; `path` is for the findings. Raises RepositoryError with every broken line."""
    lines = text.split("\n")
    findings = list(_conflicts(lines, path)) or list(_problems(lines, path))
    if findings:
        raise RepositoryError(findings)
    facts = [tuple(line.split(" ", 1)) for line in lines if line and line != HEADER]
    single = {word: value for word, value in facts if word in _SINGLE}
    pending = [value for word, value in facts if word == "pending"]
    earlier = [value.partition(" ") for word, value in facts if word == "earlier"]
    return Lock(
        spec=tuple(value for word, value in facts if word == "spec"),
        source=single.get("source", ""),
        generator=single.get("generator", ""),
        head=single.get("head", ""),
        entries=tuple(sorted(_entry(f"{word} {value}") for word, value in facts if word in _KINDS)),
        pending=tuple(sorted(_entry(value) for value in pending if not value.startswith("head "))),
        pending_revisions=tuple(sorted(_revision(value) for value in pending if value.startswith("head "))),
        unsettled=tuple(value for word, value in facts if word == "unsettled"),
        earlier=Earlier(
            next((value for word, _, value in earlier if word == "head"), ""),
            tuple(value for word, _, value in earlier if word == "spec"),
            tuple(value for word, _, value in earlier if word == "unsettled"),
        ),
        accepted=tuple(sorted(value for word, value in facts if word == "accepted")),
        absent=tuple(sorted(value for word, value in facts if word == "absent")),
    )


def _by_kind(entry: Entry) -> tuple[str, str, str]:
    return entry.kind, entry.path, entry.sha256


def _entry(fact: str) -> Entry:
    kind, digest, path = fact.split(" ", 2)
    return Entry(path, kind, digest)


def _revision(fact: str) -> PendingRevision:
    _, revision, *parent = fact.split(" ")
    return PendingRevision(revision, *parent)


def _problems(lines: list[str], path: str) -> Iterator[Finding]:
    if lines[0] != HEADER:
        yield _broken(path, 1, lines[0], "the first line is not that of an inboxgen record")
        return
    if lines[-1]:
        yield _broken(path, len(lines), lines[-1], "the last line has no end: the file was cut off")
    seen: set[str] = set()
    for number, line in enumerate(lines[1:], 2):
        if line and not _is_fact(line):
            yield _broken(path, number, line, "this line says nothing that inboxgen writes")
        subject = _subject(line)
        if subject in seen:
            yield _broken(path, number, line, f"{subject} is recorded twice")
        seen |= {subject} - {""}


def _is_fact(line: str) -> bool:
    word, _, value = line.partition(" ")
    if word == "pending":
        inner, _, rest = value.partition(" ")
        return (1 <= len(rest.split(" ")) <= 2 and bool(rest)) if inner == "head" else _is_file(value)
    if word == "absent":
        return re.fullmatch(r"\w+ [0-9a-f]{64}", value) is not None
    if word in ("generator", "source"):
        return _SHA256.fullmatch(value) is not None
    if word == "earlier":
        inner, _, rest = value.partition(" ")
        return inner in ("head", "spec", "unsettled") and bool(rest)
    return bool(value) and (word in ("head", *_LISTS) or _is_file(line))


def _is_file(fact: str) -> bool:
    parts = fact.split(" ", 2)
    return len(parts) == 3 and parts[0] in _KINDS and _SHA256.fullmatch(parts[1]) is not None and bool(parts[2])


def _subject(line: str) -> str:
    """What may be said only once: a file outside of `pending`, or one of the single facts."""
    word = line.partition(" ")[0]
    if word in _SINGLE:
        return word
    return line.split(" ", 2)[2] if word in _KINDS and _is_file(line) else ""


def foreign(path: str, reason: str) -> Finding:
    """What is said of lines that name a spec, and that this version makes none of."""
    return _broken(path, 1, HEADER, f"its spec is not one that this version of inboxgen knows: {reason}")


def _broken(path: str, number: int, line: str, what: str) -> Finding:
    spec = PurePosixPath(path).stem
    return Finding(
        Place(path, number, 1),
        "R401",
        what,
        "the record decides which files inboxgen may replace or delete, so it is never guessed",
        f"git restore {path} (or take the last good version of it), then run `inboxgen new` on {spec}.yaml",
        line,
    )


def _conflicts(lines: list[str], path: str) -> Iterator[Finding]:
    marks = [number for number, line in enumerate(lines, 1) if _CONFLICT.match(line)]
    if not marks:
        return
    ours, theirs = _sides(lines)
    why = "two branches changed the generated files" + _both_wrote(ours, theirs)
    fix = (
        f"merge the spec; take the record of the branch that is deployed (git checkout --ours {path}, or --theirs); "
        "delete the frozen files that only the other branch recorded; then run `inboxgen new` again: it writes that "
        "branch's change as a revision that follows the deployed one"
    )
    yield Finding(Place(path, marks[0], 1), "R402", "the record holds git's conflict markers", why, fix)


def _sides(lines: Iterable[str]) -> tuple[list[str], list[str]]:
    """The frozen files that only one side of the conflicts names."""
    sides: dict[str, set[str]] = {"<": set(), ">": set(), "|": set()}
    side = ""
    for line in lines:
        if _CONFLICT.match(line):
            side = {"<": "<", "|": "|", "=": ">", ">": ""}[line[0]]
        elif side and line.startswith("frozen ") and _is_file(line):
            sides[side].add(line.split(" ", 2)[2])
    return sorted(sides["<"] - sides[">"]), sorted(sides[">"] - sides["<"])


def _both_wrote(ours: list[str], theirs: list[str]) -> str:
    if not ours and not theirs:
        return ""
    here, there = (", ".join(side) or "none" for side in (ours, theirs))
    return f"; frozen on this branch only: {here}; on the other only: {there}"
