"""Whether a tree is up to date, from hashes alone: no YAML, no SQLAlchemy, no templates are loaded for a yes."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from inboxgen.generator import generator_hash
from inboxgen.handlers import Signature, misfit, signatures
from inboxgen.lock import Entry, Lock, sha256
from inboxgen.tree import Presence, Repository

_REVISION = re.compile(r"[0-9a-f]{12}(_.+)\.py")


def is_fresh(lock: Lock, source: str, repository: Repository) -> bool:
    """True if spec, generator and every recorded file are as the last run left them, and the user's handlers fit.

    False means: look closer. `source` is the hash of the spec's text over LF.
    """
    if lock.interrupted or lock.source != source or lock.generator != generator_hash():
        return False
    calls = signatures(lock.spec)
    return all(_unchanged(entry, calls.get(entry.path), repository) for entry in lock.entries) and not (
        _unrecorded_revision(lock, repository)
    )


def _unchanged(entry: Entry, call: Signature | None, repository: Repository) -> bool:
    found = repository.read(entry.path)
    if entry.kind == "yours":
        return found.presence is Presence.FILE and not (call and found.text and misfit(found.text, call))
    return found.text is not None and sha256(found.text) == entry.sha256


def _unrecorded_revision(lock: Lock, repository: Repository) -> bool:
    """A file named as our revisions are, which a merge may bring: the line of revisions may be forked."""
    frozen = {entry.path for entry in lock.entries if entry.kind == "frozen" and entry.path.endswith(".py")}
    names = {match[1].split("_")[1] for path in frozen if (match := _REVISION.fullmatch(PurePosixPath(path).name))}
    for folder in {PurePosixPath(path).parent for path in frozen}:
        for name in repository.names(folder.as_posix()):
            match = _REVISION.fullmatch(name)
            if match and match[1].split("_")[1] in names and str(folder / name) not in frozen:
                return True
    return False
