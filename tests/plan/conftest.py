from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inboxgen.cli.workspace import open_workspace, prepare
from inboxgen.plan import NOTHING_ALLOWED, Options, Plan
from tests import fake_product

Planner = Callable[..., Plan]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with an Alembic environment and a spec, as the working directory."""
    fake_product.use(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.yaml").write_text(fake_product.SPEC)
    (tmp_path / "alembic.ini").write_text(fake_product.INI)
    (tmp_path / "migrations" / "versions").mkdir(parents=True)
    (tmp_path / "migrations" / "versions" / "README").touch()
    return tmp_path


@pytest.fixture
def planned(project: Path) -> Planner:
    """What `new` would do now."""

    def plan(options: Options = NOTHING_ALLOWED, after: str = "", init_alembic: bool = False) -> Plan:
        return prepare(open_workspace("orders.yaml"), options=options, after=after, init_alembic=init_alembic)[1]

    return plan
