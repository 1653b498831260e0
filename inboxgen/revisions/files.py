"""Version files → revisions, through the syntax tree alone: importing one would run the user's code."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from inboxgen.findings import Finding, Place, RepositoryError
from inboxgen.revisions.config import AlembicConfig
from inboxgen.revisions.graph import Revision

# As alembic.script.base names them.
_VERSION_FILE = re.compile(r"(?!\.#|__init__).*\.py")
_NAMES = ("revision", "down_revision", "branch_labels", "depends_on")


def read_revisions(root: Path, config: AlembicConfig) -> dict[str, Revision]:
    """Every revision by its id.

    Raises RepositoryError with all of: R505 not Python, R506 an identifier that is not a literal or missing, R507 an
    id in two files, R508 a parent that does not exist, R509 revisions in a circle.
    """
    found: dict[str, Revision] = {}
    problems: list[Finding] = []
    for path in _version_files(root, config):
        try:
            revision = _read(root, path)
        except RepositoryError as error:
            problems += error.findings
            continue
        if revision.id in found:
            what = f"revision {revision.id} is also the id of {found[revision.id].path}"
            problems.append(Finding(Place(revision.path), "R507", what, "Alembic loads neither", "delete one of them"))
        found.setdefault(revision.id, revision)
    if not problems:
        problems = list(_orphans(found)) or list(_circles(found))
    if problems:
        raise RepositoryError(problems)
    return found


def _version_files(root: Path, config: AlembicConfig) -> Iterator[str]:
    seen: set[Path] = set()
    for start in config.version_folders:
        for folder, folders, names in os.walk(root / start):
            folders[:] = sorted(set(folders) - {"__pycache__"}) if config.recursive else []
            for path in (Path(folder, name) for name in sorted(names) if _VERSION_FILE.fullmatch(name)):
                if path.resolve() not in seen:
                    seen.add(path.resolve())
                    yield Path(os.path.relpath(path, root)).as_posix()


def _read(root: Path, path: str) -> Revision:
    try:
        module = ast.parse((root / path).read_bytes())
    except OSError as error:
        why = "its revision id is needed"
        raise RepositoryError([Finding(Place(path), "R505", f"it cannot be read: {error.strerror}", why)]) from error
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = (error.lineno or 0) if isinstance(error, SyntaxError) else 0
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "it is nested too deeply"
        raise RepositoryError(
            [Finding(Place(path, line, 1), "R505", f"not Python: {reason}", "its revision id is needed")]
        ) from error
    values: dict[str, tuple[str, ...]] = {}
    for statement in module.body:
        for name, value in _assignments(statement):
            if name in _NAMES:
                values[name] = _identifiers(path, name, value)
    if len(values.get("revision", ())) != 1:
        raise RepositoryError(
            [Finding(Place(path), "R506", "it has no `revision`", fix="move what is no revision out of the folder")]
        )
    return Revision(
        id=values["revision"][0],
        parents=values.get("down_revision", ()),
        labels=values.get("branch_labels", ()),
        depends_on=values.get("depends_on", ()),
        path=path,
    )


def _assignments(statement: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value


def _identifiers(path: str, name: str, node: ast.expr) -> tuple[str, ...]:
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        value = object()
    match value:
        case None:
            return ()
        case str():
            return (value,)
        case list() | tuple() | set() if all(isinstance(item, str) for item in value):
            return tuple(sorted(value) if isinstance(value, set) else value)
    what = f"`{name}` is not a literal"
    why = "version files are read, never executed"
    raise RepositoryError([Finding(Place(path, node.lineno, node.col_offset + 1), "R506", what, why, "write it out")])


def _orphans(revisions: dict[str, Revision]) -> Iterator[Finding]:
    for revision in revisions.values():
        for parent in revision.parents:
            if parent not in revisions:
                what = f"down_revision {parent} is in no version folder"
                yield Finding(Place(revision.path), "R508", what, "Alembic cannot load it either", "restore that file")


def _circles(revisions: dict[str, Revision]) -> Iterator[Finding]:
    settled: set[str] = set()
    while ready := {key for key, item in revisions.items() if key not in settled and settled.issuperset(item.parents)}:
        settled |= ready
    if circle := sorted(revisions.keys() - settled):
        what = f"revisions go in a circle: {', '.join(circle)}"
        yield Finding(Place(revisions[circle[0]].path), "R509", what, "none of them can be the first", "cut it")
