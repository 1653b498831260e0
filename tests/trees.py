"""The tree that each example leaves in an empty repository, made once per run."""

from __future__ import annotations

import atexit
import contextlib
import importlib
import io
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from inboxgen.cli import run
from inboxgen.model import Inbox
from inboxgen.spec import load

SPECS = Path(__file__).parents[1] / "examples"
LATER = ("orders-v2", "orders-v3")
"""What `orders.yaml` becomes in its repository; first specs they are not, so they have no tree of their own."""
EXAMPLES = tuple(sorted(path.stem for path in SPECS.glob("*.yaml") if path.stem not in LATER))
RUNNABLE = tuple(name for name in EXAMPLES if load(SPECS / f"{name}.yaml").python <= sys.version_info[:2])
"""The examples whose code this Python can run: only ruff, black and pyright read the syntax of a newer one."""


def inbox(example: str) -> Inbox:
    """What the example's spec describes."""
    return load(SPECS / f"{example}.yaml")


@cache
def tree(example: str) -> Path:
    """The example's tree below `trees_folder()`; nobody may change it."""
    folder = trees_folder() / example
    generate((SPECS / f"{example}.yaml").read_bytes(), f"{example}.yaml", folder)
    return folder


@cache
def trees_folder() -> Path:
    """Where the trees lie, a folder per example."""
    folder = Path(tempfile.mkdtemp(prefix="inboxgen-trees-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def generate(spec: bytes, name: str, folder: Path) -> None:
    """`inboxgen new NAME --init-alembic` in `folder`, which need not exist, with `spec` as its only file."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(spec)
    talk = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stderr(talk), contextlib.redirect_stdout(talk):
        code = run(["new", name, "--init-alembic"])
    assert code == 0, talk.getvalue()


def package(example: str) -> ModuleType:
    """The generated package of an example, imported."""
    folder = str(tree(example) / inbox(example).package.parent)
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    return importlib.import_module(inbox(example).module)


def files(folder: Path) -> dict[str, bytes]:
    """Every file below `folder` by its path, what running the code leaves behind aside."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {path: file.read_bytes() for path, file in found.items() if "__pycache__" not in path}


def text_files(folder: Path) -> dict[str, str]:
    """The same as text; line ends stay as they are."""
    return {path: content.decode() for path, content in files(folder).items()}
