"""The repository of a case, as a folder per release: before the change, after it, and each time that it was settled."""

from __future__ import annotations

import atexit
import contextlib
import io
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from inboxgen.cli import run
from inboxgen.lock import parse_lock
from tests.migrations.cases import CASES

SPEC = "orders.yaml"
ENVIRONMENT = "migrations/env.py"
# What every handler does: a row without a unique key, so that a message applied twice shows.
HANDLER = """\
from collections.abc import Mapping

from sqlalchemy import text
from sqlalchemy.orm import Session


def handle(session: Session, message: Mapping[str, object]) -> None:
    session.execute(text("INSERT INTO effect (message, consumer) VALUES (:message, :consumer)"), dict(message))
"""


@dataclass(frozen=True)
class Release:
    """A state of the repository; `head` is the revision that its code was generated with."""

    folder: Path
    head: str


@dataclass(frozen=True)
class Repository:
    """The releases of a case, in order."""

    releases: tuple[Release, ...]

    @property
    def old(self) -> Release:
        return self.releases[0]

    @property
    def new(self) -> Release:
        return self.releases[1]

    @property
    def last(self) -> Release:
        return self.releases[-1]


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="inboxgen-migrations-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def repository(name: str) -> Repository:
    """Each release in a folder of its own, made once per process; the revisions of the release before stay as they are.

    Nobody may change it.
    """
    case = CASES[name]
    root = _folder() / name
    shutil.rmtree(root, ignore_errors=True)  # of an attempt that failed
    old = release(root / "old", case.before).folder
    new = root / "new"
    shutil.copytree(old, new)
    for handler, name in case.moves.items():
        (new / handler).rename(new / name)
    (new / SPEC).write_text(case.after, encoding="utf-8")
    inboxgen(new, "new", SPEC)
    if "." in case.table(1):
        # The environment is the user's, who is told to have Alembic look into the inbox's schema.
        shutil.copy(release(root / "fresh", case.after).folder / ENVIRONMENT, new / ENVIRONMENT)
    _fill_in(new)
    folders = [old, new]
    for number in range(case.settled):
        folders.append(root / f"settled{number or ''}")
        shutil.copytree(folders[-2], folders[-1])
        inboxgen(folders[-1], "new", SPEC, "--settled")
    for before, after in pairwise(folders):
        _unchanged(before, after)
    return Repository(tuple(Release(folder, _head(folder)) for folder in folders))


def release(folder: Path, text: str) -> Release:
    """The first release of a spec, in a new folder."""
    folder.mkdir(parents=True)
    (folder / SPEC).write_text(text, encoding="utf-8")
    inboxgen(folder, "new", SPEC, "--init-alembic")
    _fill_in(folder)
    return Release(folder, _head(folder))


def inboxgen(folder: Path, *arguments: str) -> str:
    """Run the command line in `folder`, which must succeed, and return what it says."""
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        code = run(list(arguments))
    assert code == 0, said.getvalue()
    return said.getvalue()


def _fill_in(folder: Path) -> None:
    for handler in (folder / "orders_inbox/handlers").glob("*.py"):
        if handler.name != "__init__.py":
            handler.write_text(HANDLER, encoding="utf-8")


def _head(folder: Path) -> str:
    return parse_lock((folder / "orders.lock").read_text(encoding="utf-8"), "orders.lock").head


def _unchanged(before: Path, after: Path) -> None:
    for revision in (before / "migrations/versions").glob("*.py"):
        assert (after / "migrations/versions" / revision.name).read_bytes() == revision.read_bytes()
