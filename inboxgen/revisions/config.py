"""Where Alembic looks: alembic.ini and [tool.alembic] of pyproject.toml, read with Alembic's rules.

https://alembic.sqlalchemy.org/en/latest/tutorial.html#editing-the-ini-file; an option of the ini comes before the
same one of pyproject.toml.
"""

from __future__ import annotations

import configparser
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inboxgen.findings import Finding, Place, RepositoryError

INI, TOML = "alembic.ini", "pyproject.toml"
SECTION = "alembic"

_SEPARATORS = {"space": " ", "newline": "\n", "os": os.pathsep, ":": ":", ";": ";"}


@dataclass(frozen=True, slots=True)
class AlembicConfig:
    """Paths are POSIX and relative to the root; `path` is the file that the configuration was found in."""

    path: str
    script_folder: str
    version_folders: tuple[str, ...]
    recursive: bool


def read_config(root: Path, named: str) -> AlembicConfig | None:
    """The configuration in the file `named`, else in the root's alembic.ini or pyproject.toml, else None.

    Raises RepositoryError: R501 `named` is missing, R502 unreadable, R503 no script_location, R504 no such folder.
    """
    if named and not (root / named).is_file():
        raise _refused(named, "R501", f"there is no {named}", fix="correct `migrations: {alembic: ...}` in the spec")
    folder = (root / named).parent if named else root
    ini = folder / INI if not named or Path(named).name == TOML else root / named
    reader = _Options(root, ini, folder / TOML)
    if not reader.ini.has_section(SECTION) and not reader.toml:
        if named:
            raise _refused(named, "R503", f"{named} has no section for Alembic", fix=f"add [{SECTION}] to it")
        return None
    return reader.config()


class _Options:
    """Both files together, as `alembic.config.Config` answers for them."""

    def __init__(self, root: Path, ini: Path, toml: Path) -> None:
        self._root = root
        self._here = {"here": ini.parent.absolute().as_posix()}
        self.ini = configparser.ConfigParser(self._here)
        self.toml: Mapping[str, object] = {}
        self._ini_path, self._toml_path = _relative(root, ini), _relative(root, toml)
        try:
            if ini.is_file():
                self.ini.read_string(ini.read_text(encoding="utf-8-sig"), source=ini.name)
        except (configparser.Error, UnicodeDecodeError, OSError) as error:
            raise _refused(self._ini_path, "R502", f"it cannot be read: {_one_line(error)}") from error
        try:
            if toml.is_file():
                data: object = tomllib.loads(toml.read_text(encoding="utf-8")).get("tool", {})
                section = data.get("alembic", {}) if isinstance(data, dict) else {}
                self.toml = section if isinstance(section, dict) else {}
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise _refused(self._toml_path, "R502", f"it cannot be read: {_one_line(error)}") from error
        self.path = self._toml_path if "script_location" in self.toml else self._ini_path
        if self.ini.has_option(SECTION, "script_location"):
            self.path = self._ini_path

    def config(self) -> AlembicConfig:
        location = self._text("script_location")
        if not location:
            raise _refused(
                self.path,
                "R503",
                "it has no script_location",
                why="the revision belongs into the folder that Alembic reads",
                fix=f"write script_location into [{SECTION}]",
            )
        script_folder = self._folder(location)
        if not script_folder.is_dir():
            raise _refused(
                self.path,
                "R504",
                f"its script_location is not a folder here: {location}",
                why="Alembic's own files are read, never executed, so a package is looked for by its path",
                fix="correct script_location, or write it as a path: %(here)s/...",
            )
        versions = [self._folder(item) for item in self._version_locations()] or [script_folder / "versions"]
        return AlembicConfig(
            path=self.path,
            script_folder=_relative(self._root, script_folder),
            version_folders=tuple(dict.fromkeys(_relative(self._root, folder) for folder in versions)),
            recursive=self._flag("recursive_version_locations"),
        )

    def _text(self, name: str) -> str:
        if self.ini.has_option(SECTION, name):
            try:
                return self.ini.get(SECTION, name).strip()
            except configparser.InterpolationError as error:
                raise _refused(self._ini_path, "R502", f"{name} cannot be read: {_one_line(error)}") from error
        return self._interpolated(name, self.toml.get(name, ""))

    def _interpolated(self, name: str, value: object) -> str:
        try:
            return str(value) % self._here
        except (KeyError, TypeError, ValueError) as error:
            raise _refused(self._toml_path, "R502", f"{name} cannot be read: {_one_line(error)}") from error

    def _flag(self, name: str) -> bool:
        return self._text(name) == "true" if self.ini.has_option(SECTION, name) else self.toml.get(name) is True

    def _version_locations(self) -> list[str]:
        value = self.toml.get("version_locations")
        if isinstance(value, list) and not self._in_ini("version_locations"):
            return [self._interpolated("version_locations", item) for item in value]
        return self._split("version_locations", ("path_separator", "version_path_separator"), r", *|(?: +)")

    def _search_paths(self) -> list[str]:
        value = self.toml.get("prepend_sys_path")
        if isinstance(value, list) and not self._in_ini("prepend_sys_path"):
            return [self._interpolated("prepend_sys_path", item) for item in value]
        return self._split("prepend_sys_path", ("path_separator",), r", *|(?: +)|\:")

    def _in_ini(self, name: str) -> bool:
        return self.ini.has_option(SECTION, name) and bool(self._text(name))

    def _split(self, name: str, separators: tuple[str, ...], legacy: str) -> list[str]:
        value = self._text(name)
        if not value:  # Alembic does not look at the separator then; older stock files have a comment in it
            return []
        chosen = next((self._text(key) for key in separators if self.ini.has_option(SECTION, key)), None)
        if chosen is None:
            parts = re.split(legacy, value)
        elif chosen in _SEPARATORS:
            parts = value.split(_SEPARATORS[chosen])
        else:
            raise _refused(self._ini_path, "R502", f"Alembic knows no path separator {chosen!r}")
        return [part.strip() for part in parts if part.strip()]

    def _folder(self, location: str) -> Path:
        if Path(location).is_absolute():
            return Path(location)
        if ":" in location:
            package, *below = location.split(":")
            inside = Path(*package.split("."), *below)
            bases = [self._root / base for base in (*self._search_paths(), "", "src")]
        else:
            # Alembic goes by the working directory, which is the root or the ini's folder.
            inside, bases = Path(location), [self._root, Path(self._here["here"])]
        return next((base / inside for base in bases if (base / inside).is_dir()), bases[0] / inside)


def _relative(root: Path, path: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()


def _one_line(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or " ".join(str(error).split())


def _refused(path: str, code: str, what: str, why: str = "", fix: str = "") -> RepositoryError:
    return RepositoryError([Finding(Place(path), code, what, why, fix)])
