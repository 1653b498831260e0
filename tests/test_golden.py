from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import Golden


def test_a_difference_a_file_too_few_and_one_too_many_are_seen(tmp_path: Path) -> None:
    Golden(True, tmp_path).check("case", {"a": "1\r\n", "b/c": "2\n"})
    golden = Golden(False, tmp_path)
    golden.check("case", {"a": "1\r\n", "b/c": "2\n"})
    for produced in ({"a": "1\n", "b/c": "2\n"}, {"a": "1\r\n"}, {"a": "1\r\n", "b/c": "2\n", "d": ""}):
        with pytest.raises(AssertionError):
            golden.check("case", produced)


def test_an_update_removes_what_is_not_produced_any_more(tmp_path: Path) -> None:
    Golden(True, tmp_path).check("case", {"a": "1\n", "b": "2\n"})
    Golden(True, tmp_path).check("case", {"a": "3\n"})
    assert Golden(False, tmp_path).read("case") == {"a": "3\n"}


def test_an_update_is_refused_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    command = [sys.executable, "-m", "pytest", "--update-golden", "--collect-only", "-q", __file__]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent.parent)
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "refused in CI" in refused.stderr
