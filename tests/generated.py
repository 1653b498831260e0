"""Generated packages that tests run: made from a spec's text, importable here and in another process.

A package is made once per run for each spec, under a name of its own, so that many can be imported side by side.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import NamedTuple

from inboxgen.spec import load
from inboxgen.targets.package import package_files

ROOT = Path(__file__).parents[1]

SYNC = """
inbox: orders
dialects: [postgresql, sqlite, mariadb]
key: {message_id: string(100)}
consumers: [credit, email]
"""
ASYNC = SYNC + "api: async\n"


class Change(NamedTuple):
    """A replacement in the text of a generated module: every occurrence, and at least one."""

    module: str
    old: str
    new: str


@cache
def generated(spec: str = SYNC, *, changes: tuple[Change, ...] = ()) -> ModuleType:
    """The package that is generated from a spec, its modules with `changes` made to them."""
    name = "generated_" + hashlib.sha256(repr((spec, changes)).encode()).hexdigest()[:12]
    files = _files(spec)
    for module, old, new in changes:
        path = f"{module}.py"
        if old not in files[path]:
            raise LookupError(f"{path} has no {old!r}:\n{files[path]}")
        files[path] = files[path].replace(old, new)
    for path, text in files.items():
        target = packages_folder() / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return importlib.import_module(name)


def _files(spec: str) -> dict[str, str]:
    return dict(_rendered(spec))


@cache
def _rendered(spec: str) -> tuple[tuple[str, str], ...]:
    path = packages_folder() / f"{hashlib.sha256(spec.encode()).hexdigest()[:12]}.yaml"
    path.write_text(spec, encoding="utf-8")
    inbox = replace(load(path), package=PurePosixPath("package"))
    return tuple((file.path.removeprefix("package/"), file.text) for file in package_files(inbox))


@cache
def packages_folder() -> Path:
    """Where the packages lie, on this process's import path."""
    folder = Path(tempfile.mkdtemp(prefix="inboxgen-generated-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.path.append(str(folder))
    return folder


def environment(*first: Path) -> dict[str, str]:
    """The environment of another process that imports generated packages; `first` leads its import path."""
    places = [*first, ROOT, packages_folder()]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places))}
