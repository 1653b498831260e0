"""The worked sequence of the README: `orders.yaml` becomes `orders-v2.yaml`, then `orders-v3.yaml`, then is settled."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.changes.repositories import Repository, count, fill
from tests.changes.test_golden import difference
from tests.changes.test_upgrade import DRIVERS, SILENT, assert_fresh, up
from tests.golden import Golden
from tests.trees import LATER, SPECS

FIRST, SECOND, THIRD = ((SPECS / f"{name}.yaml").read_text() for name in ("orders", *LATER))
HANDLERS = "orders_inbox/handlers"


def begin(folder: Path) -> Repository:
    repository = Repository(folder)
    assert repository.new(FIRST, "--init-alembic").code == 0
    return repository


def third(repository: Repository) -> str:
    """The author moves the handler of the renamed consumer, as the refusal says."""
    refused = repository.new(THIRD)
    assert (refused.code, f"git mv {HANDLERS}/email.py {HANDLERS}/letters.py" in refused.said) == (3, True)
    (repository.root / HANDLERS / "email.py").rename(repository.root / HANDLERS / "letters.py")
    made = repository.new(THIRD)
    assert made.code == 0, made.said
    return made.said


def test_what_each_step_leaves(tmp_path: Path, golden: Golden) -> None:
    repository = begin(tmp_path)
    states = [repository.files()]
    assert repository.new(SECOND).code == 0
    states.append(repository.files())
    said = third(repository)
    assert "the markers of erp-sync stay in inbox as 'erp' until the retention is over" in said
    assert "erp_sync.py is no longer called; it is yours" in said
    states.append(repository.files())
    assert repository.new(THIRD, "--settled").code == 0
    states.append(repository.files())
    for name, before, after in zip(("2", "3", "settled"), states, states[1:], strict=False):
        golden.check(f"changes/orders/{name}", difference(before, after))


@pytest.mark.parametrize("engine", DRIVERS)
def test_a_database_goes_along(engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    (tmp_path / "repository").mkdir()
    repository = begin(tmp_path / "repository")
    up(repository, url, "upgrade head")
    fill(url, repository.inbox(), 200)
    for change in (lambda: repository.new(SECOND), lambda: third(repository)):
        change()
        assert up(repository, url, "upgrade head", "check").count(SILENT) == 1
        assert count(url, "inbox", "source = 'shop'") == 200
    assert repository.new(THIRD, "--settled").code == 0
    rounds = ("upgrade head", "check", "downgrade -1", "upgrade head", "check")
    assert up(repository, url, *rounds).count(SILENT) == 2
    assert count(url, "inbox") == 200
    assert_fresh(repository, url, tmp_path / "fresh.sqlite")
