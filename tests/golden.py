"""Golden files: compared as whole trees, written only by `pytest --update-golden`, and never in CI."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent / "golden"


class Golden:
    """Compares what was produced with what lies in `golden/`; with `--update-golden` it writes instead."""

    def __init__(self, update: bool, root: Path = ROOT) -> None:
        self.update = update
        self.root = root

    def check(self, folder: str, produced: Mapping[str, str]) -> None:
        """Hold the files of `golden/<folder>` to `produced`, path to text; a file too many or too few is a failure."""
        expected = self.read(folder)
        if self.update:
            self._write(self.root / folder, expected, produced)
            return
        missing, surplus = sorted(produced.keys() - expected.keys()), sorted(expected.keys() - produced.keys())
        assert not missing, f"golden/{folder} lacks {missing}: pytest --update-golden, then read the difference"
        assert not surplus, f"golden/{folder} has {surplus}, which nothing produces any more"
        for path, text in produced.items():
            assert text == expected[path], f"golden/{folder}/{path} differs"

    def read(self, folder: str) -> dict[str, str]:
        """The golden files of a folder, path to text, byte for byte in their line ends."""
        root = self.root / folder
        files = [path for path in root.rglob("*") if path.is_file()]
        return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}

    def _write(self, root: Path, expected: Mapping[str, str], produced: Mapping[str, str]) -> None:
        for path in expected.keys() - produced.keys():
            (root / path).unlink()
        for path, text in produced.items():
            if expected.get(path) != text:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(text.encode())


def add_option(parser: pytest.Parser) -> None:
    """`--update-golden`."""
    parser.addoption("--update-golden", action="store_true", help="write golden files; read the difference afterwards")


def from_config(config: pytest.Config) -> Golden:
    """The comparison that the command line asks for. In CI an update would turn every difference green: refused."""
    update = bool(config.getoption("--update-golden"))
    if update and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is refused in CI")
    return Golden(update)
