from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.fake_product import rewrite


@pytest.fixture
def changed(project: Path, inboxgen: Run) -> Path:
    inboxgen("new", "orders.yaml", "--init-alembic")
    rewrite(project / "orders.yaml", columns="id extra", consumers="email refund")
    return project


def test_sql_comes_first_then_revisions(changed: Path, inboxgen: Run) -> None:
    answer = inboxgen("diff", "orders.yaml")
    paths = re.findall(r"^\+\+\+ b/(\S+)", answer.out, re.MULTILINE)
    assert answer.code == 1
    assert [path.rpartition(".")[2] for path in paths[:3]] == ["sql", "sql", "py"]
    assert paths[2].startswith("migrations/versions/")
    assert "-COLUMNS = 'id'\n+COLUMNS = 'id extra'\n" in answer.out


def test_it_is_what_git_would_apply(changed: Path, inboxgen: Run) -> None:
    patch = inboxgen("diff", "orders.yaml").out
    subprocess.run(["git", "apply", "-"], cwd=changed, input=patch, text=True, check=True)
    assert (changed / "orders_inbox" / "models.py").read_text() == "COLUMNS = 'id extra'\n"
    assert not re.search(r"^\+\+\+ b/orders_inbox/", inboxgen("diff", "orders.yaml").out, re.MULTILINE)


def test_stat(changed: Path, inboxgen: Run) -> None:
    answer = inboxgen("diff", "orders.yaml", "--stat")
    assert answer.code == 1
    assert re.search(r"^ orders_inbox/models\.py +\| \+1 -1$", answer.out, re.MULTILINE)
    assert answer.out.endswith(" files changed, 7 added, 3 removed\n")


def test_nothing_to_show(changed: Path, inboxgen: Run) -> None:
    inboxgen("new", "orders.yaml")
    answer = inboxgen("diff", "orders.yaml")
    assert (answer.code, answer.out, answer.err) == (0, "", "")


def test_colour_only_on_a_terminal_and_not_against_the_users_wish(
    changed: Path, inboxgen: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in inboxgen("diff", "orders.yaml").out
    monkeypatch.setattr("inboxgen.cli.output.has_color", lambda err=False: True)
    assert "\x1b[32m+COLUMNS = 'id extra'\x1b[0m" in inboxgen("diff", "orders.yaml").out


def test_a_file_without_a_last_line_end() -> None:
    from inboxgen.diff import _lines, _with_end_marks

    assert _lines("a\nb") == ["a\n", "b"]
    assert list(_with_end_marks(iter(["+a\n", "+b"]))) == ["+a", "+b", "\\ No newline at end of file"]
