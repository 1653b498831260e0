from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import inboxgen as inboxgen_package
from inboxgen.generator import generator_hash
from tests.cli.conftest import Run
from tests.fake_product import rewrite

HEAVY = ("sqlalchemy", "jinja2", "black", "sqlglot", "pydantic", "yaml", "alembic")


@pytest.fixture
def generated(project: Path, inboxgen: Run) -> Path:
    inboxgen("new", "orders.yaml", "--init-alembic")
    return project


def frozen(project: Path) -> Path:
    (path,) = project.glob("golden/orders/sqlite/*.up.sql")
    return path


def bad_spec(project: Path) -> None:
    rewrite(project / "orders.yaml", oops="1")


STATES: dict[str, tuple[Callable[[Path], object], int, int, int]] = {
    "equal": (lambda root: None, 0, 0, 0),
    "spec changed": (lambda root: rewrite(root / "orders.yaml", columns="id extra"), 0, 1, 1),
    "derived missing": (lambda root: (root / "orders_inbox/models.py").unlink(), 0, 1, 1),
    "our orphan": (lambda root: rewrite(root / "orders.yaml", consumers="credit"), 0, 1, 1),
    "handler missing": (lambda root: (root / "orders_inbox/handlers/credit.py").unlink(), 0, 1, 1),
    "handler edited": (lambda root: (root / "orders_inbox/handlers/credit.py").write_text("x\n"), 0, 0, 0),
    "derived edited": (lambda root: (root / "orders_inbox/models.py").write_text("mine\n"), 3, 3, 3),
    "frozen edited": (lambda root: frozen(root).write_text("mine\n"), 3, 3, 3),
    "frozen missing": (lambda root: frozen(root).unlink(), 3, 3, 3),
    "broken lock": (lambda root: _append(root / "orders.lock", "mine\n"), 3, 3, 3),
    "folder in the way": (lambda root: _folder(root / "orders_inbox/models.py"), 3, 3, 3),
    "bad spec": (bad_spec, 2, 2, 2),
    "no spec": (lambda root: (root / "orders.yaml").unlink(), 2, 2, 2),
}


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize("state", STATES)
def test_exit_codes_by_state(generated: Path, inboxgen: Run, state: str) -> None:
    change, new, diff, check = STATES[state]
    change(generated)
    assert inboxgen("diff", "orders.yaml").code == diff
    assert inboxgen("check", "orders.yaml").code == check
    assert inboxgen("check").code == check
    assert inboxgen("new", "orders.yaml").code == new


def test_never_generated_is_stale(project: Path, inboxgen: Run) -> None:
    rewrite(project / "orders.yaml", migrations="none")
    answer = inboxgen("check", "orders.yaml")
    assert answer.code == 1
    assert answer.out.startswith("orders.yaml: stale[S301]")
    assert inboxgen("diff", "orders.yaml").code == 1


def test_a_foreign_file_in_the_way_is_refused_before_the_first_run(project: Path, inboxgen: Run) -> None:
    rewrite(project / "orders.yaml", migrations="none")
    (project / "orders_inbox").mkdir()
    (project / "orders_inbox" / "models.py").write_text("mine\n")
    for verb in ("new", "diff", "check"):
        assert inboxgen(verb, "orders.yaml").code == 3


def test_refused_wins_over_stale(generated: Path, inboxgen: Run) -> None:
    rewrite(generated / "orders.yaml", columns="id extra")
    frozen(generated).unlink()
    answer = inboxgen("check")
    assert answer.code == 3
    assert "error[R404]" in answer.out
    assert "stale[S304]" in answer.out


def test_json_and_github(generated: Path, inboxgen: Run) -> None:
    (generated / "orders_inbox/models.py").unlink()
    (entry,) = json.loads(inboxgen("check", "--format", "json").out)
    assert (entry["path"], entry["code"], entry["severity"]) == ("orders_inbox/models.py", "S303", "stale")
    assert inboxgen("check", "--format", "github").out.startswith("::error file=orders_inbox/models.py,title=S303::")
    inboxgen("new", "orders.yaml")
    assert json.loads(inboxgen("check", "--format", "json").out) == []
    assert inboxgen("check", "--format", "github").out == ""
    assert inboxgen("check").out == "orders.yaml: up to date\n"


def test_an_interrupted_run_is_stale(generated: Path, inboxgen: Run) -> None:
    lock = generated / "orders.lock"
    lock.write_text(lock.read_text().replace("source ", f"pending derived {'a' * 64} orders_inbox/x.py\nsource ", 1))
    answer = inboxgen("check")
    assert answer.code == 1
    assert "S302" in answer.out
    assert inboxgen("new", "orders.yaml").code == 0
    assert inboxgen("check").code == 0


def test_a_revision_that_a_merge_brought_is_looked_at_closely(generated: Path, inboxgen: Run) -> None:
    (revision,) = generated.glob("migrations/versions/*.py")
    parent = revision.name[:12]
    for name in ("0123456789ab", "ba9876543210"):
        text = f'revision = "{name}"\ndown_revision = "{parent}"\n'
        (revision.parent / f"{name}_orders_change.py").write_text(text)
    rewrite(generated / "orders.yaml", columns="id extra")
    assert inboxgen("check").code == 3


def test_an_equal_tree_is_answered_without_the_heavy_imports(project: Path, inboxgen: Run) -> None:
    generator_hash.cache_clear()  # another process computes it again
    inboxgen("new", "orders.yaml", "--init-alembic")
    program = (
        "import sys; from inboxgen.cli import run; code = run(['check']); "
        f"print(code, [each for each in {HEAVY!r} if each in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(inboxgen_package.__file__).parent.parent)}
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert answer.stdout.splitlines() == ["orders.yaml: up to date", "0 []"]
