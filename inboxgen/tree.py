"""The only reader of the user's repository: what lies at a path, and what would be in the way there."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path, PurePosixPath

# Folders that hold other people's files, never a spec of the user's.
_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


class Presence(Enum):
    """What is at a path."""

    MISSING = "missing"
    FILE = "file"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Found:
    """What was read: `text` has LF line ends and is None for a file that is not UTF-8; `obstacle` says what blocks.

    `crlf` tells that most of the file's lines end in CRLF, as git leaves them on Windows: they are kept so when the
    file is rewritten.
    """

    presence: Presence
    text: str | None = None
    crlf: bool = False
    obstacle: str = ""


MISSING = Found(Presence.MISSING)


class Repository:
    """The folder of a spec; every path is POSIX and relative to it, `..` allowed. It remembers folders' listings.

    `prefix` is that folder as the caller named it: findings and commands show a path with it.
    """

    def __init__(self, root: Path, prefix: str = "") -> None:
        self.root = root
        self.prefix = prefix
        self._listings: dict[Path, frozenset[str]] = {}

    def locate(self, path: str) -> Path:
        """The path on this machine, with `..` taken by name, as the walk over its parts takes it."""
        return Path(os.path.normpath(self.root / path))

    def shown(self, path: str) -> str:
        """The path as it is written from where the caller stands."""
        return PurePosixPath(self.prefix, path).as_posix()

    def names(self, folder: str) -> frozenset[str]:
        """What a folder holds; nothing where there is none."""
        return self._listing(self.locate(folder))

    def read(self, path: str) -> Found:
        """What lies at `path`; an error of the system is told as an obstacle, never raised."""
        try:
            if obstacle := self._obstacle(path):
                return Found(Presence.BLOCKED, obstacle=obstacle)
        except OSError as error:
            return _unreadable(error)
        return read_file(self.locate(path))

    def _obstacle(self, path: str) -> str:
        steps = list(self._steps(path))
        for current in steps:
            if clash := self._clash(current):
                return f"{current.parent.joinpath(clash).name} differs from it by case alone, as some disks do not"
            if current.is_symlink():
                return f"{self._show(current)} is a symbolic link"
            if current != steps[-1] and current.is_file():
                return f"{self._show(current)} is a file, not a folder"
        return f"{self._show(steps[-1])} is a folder" if steps[-1].is_dir() else ""

    def _steps(self, path: str) -> Iterator[Path]:
        """The folders below the spec's (or below the last `..`), then the file itself."""
        current = self.root
        for part in PurePosixPath(path).parts:
            current = Path(os.path.normpath(current / part))
            if part != "..":
                yield current

    def _clash(self, path: Path) -> str:
        names = self._listing(path.parent)
        if path.name in names:
            return ""
        folded = path.name.casefold()
        return next((name for name in sorted(names) if name.casefold() == folded), "")

    def _listing(self, folder: Path) -> frozenset[str]:
        if folder not in self._listings:
            self._listings[folder] = (
                frozenset(each.name for each in folder.iterdir()) if folder.is_dir() else frozenset()
            )
        return self._listings[folder]

    def _show(self, path: Path) -> str:
        return Path(os.path.relpath(path, self.root)).as_posix()


def read_file(path: Path) -> Found:
    """What a file holds, wherever it is and whatever links lead to it."""
    try:
        text = path.read_bytes().decode()
    except FileNotFoundError:
        return MISSING
    except OSError as error:
        return _unreadable(error)
    except UnicodeDecodeError:
        return Found(Presence.FILE)
    crlf = text.count("\r\n")
    return Found(Presence.FILE, text.replace("\r\n", "\n"), crlf * 2 > text.count("\n"))


def _unreadable(error: OSError) -> Found:
    return Found(Presence.BLOCKED, obstacle=f"it cannot be read: {error.strerror}")


def find_locks(root: Path, header: str) -> list[Path]:
    """Every record below `root`, by its first line, in order; hidden folders and virtual environments are skipped."""
    found = []
    for folder, names, files in os.walk(root):
        here = Path(folder)
        names[:] = [name for name in names if name[0] != "." and name not in _SKIPPED and not _is_venv(here / name)]
        found += [here / name for name in files if name.endswith(".lock") and _starts_with(here / name, header)]
    return sorted(found)


def _is_venv(folder: Path) -> bool:
    try:
        return (folder / "pyvenv.cfg").is_file()
    except OSError:  # closed to us, so no spec of ours is in it
        return True


def _starts_with(path: Path, header: str) -> bool:
    try:
        with path.open("rb") as file:
            return file.readline().removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n") == header.encode()
    except OSError:
        return False
