"""The user's revisions as Alembic orders them, and where one of ours belongs among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from inboxgen.findings import Finding, Place, RepositoryError


@dataclass(frozen=True, slots=True)
class Revision:
    """One version file; `parents` is its down_revision, several of them in a merge, none in a base."""

    id: str
    parents: tuple[str, ...]
    labels: tuple[str, ...]
    depends_on: tuple[str, ...]
    path: str


@dataclass(frozen=True, slots=True)
class AlembicEnvironment:
    """What Alembic would load; every path is POSIX and relative to the root that it was found from."""

    ini: str
    script_folder: str
    version_folders: tuple[str, ...]
    revisions: Mapping[str, Revision]

    @property
    def heads(self) -> tuple[str, ...]:
        """The revisions that no other follows, sorted; `depends_on` makes no follower, as in Alembic."""
        followed = {parent for revision in self.revisions.values() for parent in revision.parents}
        return tuple(sorted(self.revisions.keys() - followed))

    def heads_above(self, ancestors: Iterable[str]) -> tuple[str, ...]:
        """The heads that are one of `ancestors` or descend from one, sorted."""
        wanted = frozenset(ancestors)
        return tuple(head for head in self.heads if wanted & self._line(head))

    def first_parent(self, *, after: str = "", branch: str = "") -> str | None:
        """What our first revision follows: `after`, the head of `branch`, or the only head; None begins a line.

        Raises RepositoryError: R510 several heads, R511 no revision `after`, R512 it is not a head.
        """
        if after:
            return self._head_named(after)
        labelled = [revision.id for revision in self.revisions.values() if branch in revision.labels]
        heads = self.heads_above(labelled) if branch else self.heads
        if len(heads) > 1:
            raise self._refused(
                "R510",
                f"Alembic has {len(heads)} heads{f' on branch {branch}' if branch else ''}: {', '.join(heads)}",
                "which of them the inbox belongs to is yours to say",
                f"name one: --after {heads[0]}; or merge them: alembic merge heads",
            )
        return heads[0] if heads else None

    def head_after(self, last: str, *, ours: Iterable[str] = ()) -> str:
        """The head that descends from `last`, our newest revision; `ours` is all of them.

        Raises RepositoryError: R513 a revision of ours is gone, R514 our line has forked.
        """
        ours = frozenset(ours) | {last}
        if gone := sorted(ours - self.revisions.keys()):
            raise self._refused(
                "R513",
                f"our revision {', '.join(gone)} is in no version folder",
                "the next one has to follow it, and databases may hold it",
                "restore the file from version control",
            )
        heads = self.heads_above([last])
        if len(heads) > 1:
            raise self._refused(
                "R514",
                f"{len(heads)} heads follow our revision {last}: {', '.join(heads)}",
                "the next one can follow only one of them",
                f"join them: alembic merge {' '.join(heads)}",
            )
        if forked := sorted(ours - self._line(heads[0])):
            raise self._refused(
                "R514",
                f"our line of revisions has forked: {', '.join(forked)} is not below {last}",
                "two branches of the repository each added one, and neither knows the other's schema",
                "delete the one that no database has yet, and run `inboxgen new` again",
            )
        return heads[0]

    def folder_after(self, parent: str | None) -> str:
        """The version folder for a revision that follows `parent`: its own, as Alembic chooses too, else the first."""
        if parent is not None:
            beside = PurePosixPath(self.revisions[parent].path).parent
            for folder in self.version_folders:
                if beside.is_relative_to(folder):
                    return folder
        return self.version_folders[0]

    def _line(self, head: str) -> frozenset[str]:
        """`head` and everything below it."""
        line: set[str] = set()
        open_ends = [head]
        while open_ends:
            current = open_ends.pop()
            if current not in line:
                line.add(current)
                open_ends += self.revisions[current].parents
        return frozenset(line)

    def _head_named(self, after: str) -> str:
        found = [after] if after in self.revisions else [key for key in self.revisions if key.startswith(after)]
        heads = f"the heads are {', '.join(self.heads) or 'none'}"
        if len(found) != 1:
            problem = "is the beginning of several revisions" if found else "is not a revision"
            raise self._refused("R511", f"--after {after} {problem}", heads, "give the whole id of a head")
        if found[0] not in self.heads:
            raise self._refused(
                "R512",
                f"--after {after} is followed by another revision already",
                f"a second one would fork the line; {heads}",
                "give the id of a head",
            )
        return found[0]

    def _refused(self, code: str, what: str, why: str, fix: str) -> RepositoryError:
        return RepositoryError([Finding(Place(self.ini), code, what, why, fix)])
