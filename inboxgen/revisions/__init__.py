"""The user's Alembic environment: found and understood by reading, never by executing what is theirs."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from inboxgen.model import Migrations
from inboxgen.revisions.config import read_config
from inboxgen.revisions.files import read_revisions
from inboxgen.revisions.graph import AlembicEnvironment, Revision

__all__ = ["AlembicEnvironment", "Revision", "find_environment", "new_environment"]


def find_environment(root: Path, migrations: Migrations) -> AlembicEnvironment | None:
    """The environment that `migrations` names, else the one of alembic.ini or pyproject.toml in `root`, else None.

    Raises RepositoryError with every problem of the configuration, or else of the version files.
    """
    config = read_config(root, migrations.ini)
    if config is None:
        return None
    return AlembicEnvironment(
        ini=config.path,
        script_folder=config.script_folder,
        version_folders=config.version_folders,
        revisions=MappingProxyType(read_revisions(root, config)),
    )


def new_environment(ini: str, script_folder: str) -> AlembicEnvironment:
    """An environment that is about to be written, without revisions."""
    return AlembicEnvironment(ini, script_folder, (f"{script_folder}/versions",), MappingProxyType({}))
