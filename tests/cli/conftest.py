from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from inboxgen.cli import run
from tests import fake_product


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


Run = Callable[..., Answer]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository with a spec, as the working directory."""
    fake_product.use(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.yaml").write_text(fake_product.SPEC)
    return tmp_path


@pytest.fixture
def inboxgen(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in this process."""

    def call(*arguments: str) -> Answer:
        code = run(list(arguments))
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call
