"""Finding the user's Alembic environment: as Alembic finds it, without running a line of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from inboxgen.findings import RepositoryError
from inboxgen.model import Migrations
from inboxgen.revisions import AlembicEnvironment, find_environment, new_environment
from tests.alembic.projects import write

INI = "[alembic]\nscript_location = %(here)s/migrations\n"
TOML = "[tool.alembic]\nscript_location = '%(here)s/migrations'\n"
STOCK = ("migrations", ["migrations/versions"])


def version(revision: str, down: str = "None", more: str = "") -> str:
    return f"revision = {revision!r}\ndown_revision = {down}\n{more}"


def found(root: Path, files: dict[str, str], ini: str = "") -> AlembicEnvironment:
    write(root, {"migrations/env.py": "raise SystemExit('executed')", **files})
    environment = find_environment(root, Migrations(ini=ini))
    assert environment is not None
    return environment


def refused(root: Path, files: dict[str, str], ini: str = "") -> set[tuple[str, str, int]]:
    with pytest.raises(RepositoryError) as caught:
        found(root, files, ini)
    assert all(finding.what for finding in caught.value.findings)
    return {(finding.code, finding.place.path, finding.place.line) for finding in caught.value.findings}


def test_there_is_none(tmp_path: Path) -> None:
    assert find_environment(tmp_path, Migrations()) is None
    write(tmp_path, {"pyproject.toml": "[tool.black]\nline-length = 1\n", "alembic.ini": "[loggers]\nkeys = root\n"})
    assert find_environment(tmp_path, Migrations()) is None


def test_what_is_found(tmp_path: Path) -> None:
    environment = found(
        tmp_path,
        {
            "alembic.ini": INI,
            "migrations/versions/b.py": version(
                "bbbb", "('aaaa',)", "depends_on = 'zzzz'\nraise SystemExit('executed')"
            ),
            "migrations/versions/a.py": version("aaaa", more="branch_labels = ['billing']\nimport nothing_like_it"),
            "migrations/versions/__init__.py": "",
            "migrations/versions/.#b.py": "editor's lock",
            "migrations/versions/README": "",
            "migrations/versions/deeper/c.py": "not a version",
        },
    )
    assert (environment.ini, environment.script_folder) == ("alembic.ini", "migrations")
    assert environment.version_folders == ("migrations/versions",)
    assert environment.heads == ("bbbb",)
    a, b = environment.revisions["aaaa"], environment.revisions["bbbb"]
    assert (a.parents, a.labels, a.path) == ((), ("billing",), "migrations/versions/a.py")
    assert (b.parents, b.labels, b.depends_on) == (("aaaa",), (), ("zzzz",))


@pytest.mark.parametrize(
    "source",
    [
        "revision: str = 'aaaa'\ndown_revision: str | None = None\n",
        "from typing import Union\nrevision: str = 'aaaa'\ndown_revision: Union[str, None] = None\n",
        "revision = branch = 'aaaa'\ndown_revision = None\n",
        "revision = 'aa' 'aa'\ndown_revision = ()\n",
        "# -*- coding: latin-1 -*-\nrevision = 'aaaa'\ndown_revision = None\n# \xe9\n",
        "\ufeffrevision = 'aaaa'\r\ndown_revision = None\r\n",
    ],
)
def test_every_way_to_write_a_revision(tmp_path: Path, source: str) -> None:
    encoding = "latin-1" if "latin-1" in source else "utf-8"
    (tmp_path / "migrations/versions").mkdir(parents=True)
    (tmp_path / "migrations/versions/a.py").write_bytes(source.encode(encoding))
    assert found(tmp_path, {"alembic.ini": INI}).heads == ("aaaa",)


@pytest.mark.parametrize(
    ("files", "ini", "expected"),
    [
        ({"alembic.ini": "[alembic]\nscript_location = migrations\n"}, "", STOCK),
        (
            {"db/alembic.ini": INI.replace("migrations", "m"), "db/m/env.py": ""},
            "db/alembic.ini",
            ("db/m", ["db/m/versions"]),
        ),
        (
            {"db/alembic.ini": "[alembic]\nscript_location = m\n", "db/m/env.py": ""},
            "db/alembic.ini",
            ("db/m", ["db/m/versions"]),
        ),
        ({"pyproject.toml": TOML}, "", STOCK),
        (
            {"pyproject.toml": TOML + "version_locations = ['%(here)s/a', '%(here)s/b']\n"},
            "pyproject.toml",
            ("migrations", ["a", "b"]),
        ),
        ({"alembic.ini": "[alembic]\nsqlalchemy.url = x\n", "pyproject.toml": TOML}, "", STOCK),
        ({"alembic.ini": INI, "pyproject.toml": TOML.replace("migrations", "other")}, "", STOCK),
        (
            {"alembic.ini": INI + "version_locations = %(here)s/a %(here)s/b,%(here)s/c\n"},
            "",
            ("migrations", ["a", "b", "c"]),
        ),
        (
            {"alembic.ini": INI + "version_path_separator = :\nversion_locations = %(here)s/a:%(here)s/b\n"},
            "",
            ("migrations", ["a", "b"]),
        ),
        (
            {"alembic.ini": INI + "path_separator = newline\nversion_locations =\n  %(here)s/a a\n  %(here)s/b\n"},
            "",
            ("migrations", ["a a", "b"]),
        ),
        ({"alembic.ini": INI + "path_separator = os\nversion_locations = %(here)s/a\n"}, "", ("migrations", ["a"])),
        ({"alembic.ini": "[DEFAULT]\nbase = %(here)s/migrations\n[alembic]\nscript_location = %(base)s\n"}, "", STOCK),
        (
            {"alembic.ini": "[alembic]\nscript_location = app.db:migrations\n", "app/db/migrations/env.py": ""},
            "",
            ("app/db/migrations", ["app/db/migrations/versions"]),
        ),
        (
            {"alembic.ini": "[alembic]\nscript_location = app:migrations\n", "src/app/migrations/env.py": ""},
            "",
            ("src/app/migrations", ["src/app/migrations/versions"]),
        ),
        (
            {
                "alembic.ini": "[alembic]\nscript_location = app:migrations\nprepend_sys_path = %(here)s/lib\n",
                "lib/app/migrations/env.py": "",
                "src/app/migrations/env.py": "",
            },
            "",
            ("lib/app/migrations", ["lib/app/migrations/versions"]),
        ),
    ],
)
def test_where_the_configuration_points(
    tmp_path: Path, files: dict[str, str], ini: str, expected: tuple[str, list[str]]
) -> None:
    environment = found(tmp_path, files, ini)
    assert (environment.script_folder, list(environment.version_folders)) == expected


def test_a_separator_that_nothing_needs_is_not_read(tmp_path: Path) -> None:
    stock = INI + "version_path_separator = os  # Use os.pathsep. Default configuration used for new projects.\n"
    assert found(tmp_path, {"alembic.ini": stock}).version_folders == ("migrations/versions",)


def test_recursive_version_folders(tmp_path: Path) -> None:
    files = {"migrations/versions/2026/a.py": version("aaaa"), "migrations/versions/__pycache__/x.py": "?"}
    assert found(tmp_path, {"alembic.ini": INI, **files}).heads == ()
    assert found(tmp_path, {"alembic.ini": INI + "recursive_version_locations = true\n"}).heads == ("aaaa",)


def test_overlapping_version_folders_are_read_once(tmp_path: Path) -> None:
    ini = INI + "path_separator = :\nrecursive_version_locations = true\nversion_locations = %(here)s/a:%(here)s/a/b\n"
    assert found(tmp_path, {"alembic.ini": ini, "a/b/a.py": version("aaaa")}).heads == ("aaaa",)


@pytest.mark.parametrize(
    ("files", "ini", "expected"),
    [
        ({}, "db/alembic.ini", {("R501", "db/alembic.ini", 0)}),
        ({"alembic.ini": "script_location = migrations\n"}, "", {("R502", "alembic.ini", 0)}),
        ({"alembic.ini": "[alembic]\nscript_location = %(where)s\n"}, "", {("R502", "alembic.ini", 0)}),
        ({"pyproject.toml": "[tool.alembic\n"}, "", {("R502", "pyproject.toml", 0)}),
        ({"pyproject.toml": '[tool.alembic]\nscript_location = "%(where)s"\n'}, "", {("R502", "pyproject.toml", 0)}),
        ({"alembic.ini": INI + "path_separator = |\nversion_locations = a|b\n"}, "", {("R502", "alembic.ini", 0)}),
        ({"alembic.ini": "[alembic]\nsqlalchemy.url = x\n"}, "", {("R503", "alembic.ini", 0)}),
        ({"alembic.ini": "[loggers]\nkeys = root\n"}, "alembic.ini", {("R503", "alembic.ini", 0)}),
        ({"alembic.ini": INI.replace("migrations", "elsewhere")}, "", {("R504", "alembic.ini", 0)}),
        ({"alembic.ini": "[alembic]\nscript_location = gone:migrations\n"}, "", {("R504", "alembic.ini", 0)}),
    ],
)
def test_a_configuration_that_is_refused(
    tmp_path: Path, files: dict[str, str], ini: str, expected: set[tuple[str, str, int]]
) -> None:
    assert refused(tmp_path, files, ini) == expected


def test_all_version_files_that_are_refused_at_once(tmp_path: Path) -> None:
    folder = "migrations/versions"
    files = {
        f"{folder}/broken.py": "revision = 'aaaa'\ndef\n",
        f"{folder}/call.py": "revision = 'bbbb'\ndown_revision = last()\n",
        f"{folder}/conflict.py": "<<<<<<< HEAD\nrevision = 'cccc'\n",
        f"{folder}/helper.py": "def helper(): ...\n",
        f"{folder}/one.py": version("dddd"),
        f"{folder}/two.py": version("dddd"),
    }
    assert refused(tmp_path, {"alembic.ini": INI, **files}) == {
        ("R505", f"{folder}/broken.py", 2),
        ("R506", f"{folder}/call.py", 2),
        ("R505", f"{folder}/conflict.py", 1),
        ("R506", f"{folder}/helper.py", 0),
        ("R507", f"{folder}/two.py", 0),
    }


def test_a_parent_that_is_missing(tmp_path: Path) -> None:
    files = {
        "migrations/versions/a.py": version("aaaa", "'gone'"),
        "migrations/versions/b.py": version("bbbb", "'aaaa'"),
    }
    assert refused(tmp_path, {"alembic.ini": INI, **files}) == {("R508", "migrations/versions/a.py", 0)}


def test_a_circle(tmp_path: Path) -> None:
    files = {
        "migrations/versions/a.py": version("aaaa", "'bbbb'"),
        "migrations/versions/b.py": version("bbbb", "'aaaa'"),
    }
    assert refused(tmp_path, {"alembic.ini": INI, **files}) == {("R509", "migrations/versions/a.py", 0)}


@pytest.mark.parametrize("head_of", [1, 2, 3])
def test_the_heads_are_alembics(tmp_path: Path, head_of: int) -> None:
    lines = [
        ("a", "None"),
        ("b", "'a'"),
        ("c", "'a'"),
        ("d", "('b', 'c')"),
        ("e", "'b'"),
        ("f", "None"),
        ("g", "['f', 'd']"),
    ]
    kept = lines[: 2 * head_of + 1]
    files = {f"migrations/versions/{name}.py": version(name, down) for name, down in kept}
    environment = found(tmp_path, {"alembic.ini": INI, **files})
    alembic = ScriptDirectory.from_config(Config(tmp_path / "alembic.ini"))
    assert list(environment.heads) == sorted(alembic.get_heads())
    assert {key: item.parents for key, item in environment.revisions.items()} == {
        script.revision: script._versioned_down_revisions for script in alembic.walk_revisions()
    }


def test_an_environment_to_be(tmp_path: Path) -> None:
    environment = new_environment("alembic.ini", "migrations")
    assert environment.first_parent() is None
    assert environment.folder_after(None) == "migrations/versions"
