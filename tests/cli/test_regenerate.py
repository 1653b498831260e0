from __future__ import annotations

from pathlib import Path

import pytest

from inboxgen.model import Migrations
from inboxgen.revisions import find_environment
from tests import fake_product
from tests.cli.conftest import Run
from tests.fake_product import rewrite


@pytest.fixture
def two(project: Path, inboxgen: Run) -> Path:
    """Two specs in folders of their own, both generated."""
    for name in ("a", "b"):
        (project / name).mkdir()
        (project / name / "orders.yaml").write_text(fake_product.SPEC)
        inboxgen("new", f"{name}/orders.yaml", "--init-alembic")
    return project


def test_it_finds_every_record(two: Path, inboxgen: Run) -> None:
    answer = inboxgen("regenerate")
    assert (answer.code, answer.out) == (0, "a/orders.yaml: up to date\nb/orders.yaml: up to date\n")
    rewrite(two / "b" / "orders.yaml", consumers="credit email refund")
    answer = inboxgen("regenerate")
    assert "create b/orders_inbox/handlers/refund.py\n" in answer.out
    assert inboxgen("check").code == 0


def test_one_refusal_holds_back_all(two: Path, inboxgen: Run) -> None:
    rewrite(two / "a" / "orders.yaml", columns="id extra")
    (two / "b" / "orders_inbox" / "models.py").write_text("mine\n")
    answer = inboxgen("regenerate")
    assert (answer.code, answer.out) == (3, "")
    assert "b/orders_inbox/models.py: error[R406]" in answer.err
    assert inboxgen("check", "a/orders.yaml").code == 1
    assert inboxgen("regenerate", "--force").code == 0
    assert inboxgen("check").code == 0


def test_refused_wins_over_a_bad_spec(two: Path, inboxgen: Run) -> None:
    rewrite(two / "a" / "orders.yaml", oops="1")
    assert inboxgen("regenerate").code == 2
    (two / "b" / "orders_inbox" / "models.py").write_text("mine\n")
    answer = inboxgen("regenerate")
    assert answer.code == 3
    assert "E201" in answer.err
    assert "R406" in answer.err


def test_nothing_generated_is_a_usage_error(project: Path, inboxgen: Run) -> None:
    answer = inboxgen("regenerate")
    assert answer.code == 2
    assert "Name the spec" in answer.err


def test_two_specs_of_one_environment_do_not_fork_it(project: Path, inboxgen: Run) -> None:
    (project / "alembic.ini").write_text(fake_product.INI)
    (project / "migrations" / "versions").mkdir(parents=True)
    for name in ("one", "two"):
        (project / f"{name}.yaml").write_text(fake_product.SPEC + f"package: {name}_inbox\n")
        assert inboxgen("new", f"{name}.yaml").code == 0
    for name in ("one", "two"):
        rewrite(project / f"{name}.yaml", columns="id extra")
    assert inboxgen("regenerate").code == 0
    environment = find_environment(project, Migrations())
    assert environment is not None
    assert (len(environment.revisions), len(environment.heads)) == (4, 1)
