"""inboxgen as its users get it, outside of the checkout: from a wheel, an editable one, a source distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.trees import SPECS, files, inbox, tree

ROOT = Path(__file__).parents[2]
SOURCES = ("inboxgen", "templates", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md")

pytestmark = pytest.mark.packaging


def run(command: list[str | Path], cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what is published, so that a build leaves nothing in ours."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        elif source.exists():
            shutil.copy(source, folder)
    return folder


def build(kind: str, source: Path, out: Path) -> Path:
    pytest.importorskip("build")
    run([sys.executable, "-m", "build", f"--{kind}", "--outdir", out, source], source.parent)
    (built,) = out.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", checkout, tmp_path_factory.mktemp("wheel"))


def python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it depends on; its Python."""
    folder = tmp_path_factory.mktemp("environment")
    run([sys.executable, "-m", "venv", folder], folder)
    run([python(folder), "-m", "pip", "install", "--quiet", wheel], folder)
    return python(folder)


def generates(interpreter: Path, folder: Path) -> None:
    """It writes the tree that this checkout writes, and the package in it imports."""
    folder.mkdir()
    (folder / "orders.yaml").write_bytes((SPECS / "orders.yaml").read_bytes())
    run([interpreter.parent / "inboxgen", "new", "orders.yaml", "--init-alembic"], folder)
    assert files(folder) == files(tree("orders"))
    run([interpreter, "-c", f"import {inbox('orders').module}"], folder)


def test_wheel(environment: Path, tmp_path: Path) -> None:
    generates(environment, tmp_path / "repository")


def test_editable(environment: Path, checkout: Path, wheel: Path, tmp_path: Path) -> None:
    run([environment, "-m", "pip", "install", "--quiet", "--no-deps", "--editable", checkout], tmp_path)
    try:
        place = run([environment, "-c", "import inboxgen; print(inboxgen.__file__)"], tmp_path)
        assert Path(place.strip()).is_relative_to(checkout)
        generates(environment, tmp_path / "repository")
    finally:
        run([environment, "-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", wheel], tmp_path)


def test_wheel_of_the_source_distribution_is_the_same(wheel: Path, checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "sdist").mkdir()
    archive = build("sdist", checkout, tmp_path / "sdist")
    shutil.unpack_archive(archive, tmp_path / "unpacked")
    (source,) = (tmp_path / "unpacked").iterdir()
    again = build("wheel", source, tmp_path / "again")
    assert contents(again) == contents(wheel)
    assert {"inboxgen/templates/race_kit.py.j2", "inboxgen/cli/starter.yaml", "inboxgen/py.typed"} <= contents(
        wheel
    ).keys()


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
