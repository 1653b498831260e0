"""Whatever a user's disk holds, the answer says what to mend: never a bug of ours, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.changes.repositories import Repository

SPEC = "inbox: orders\ndialects: [postgresql, sqlite]\nconsumers: [credit]\nkey: {message_id: string(100)}\n"
VERSIONS = "migrations/versions"
COMMAND = [sys.executable, "-m", "inboxgen"]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    assert found.new(SPEC, "--init-alembic").code == 0
    return found


def nested(path: Path) -> None:
    path.write_text("x = " + "(" * 5_000 + ")" * 5_000 + "\n")


BREAK: dict[str, Callable[[Path], None]] = {
    "a link to nothing among the revisions": lambda root: (root / VERSIONS / "lost.py").symlink_to("nowhere.py"),
    "a folder that is named as a revision": lambda root: (root / VERSIONS / "folder.py").mkdir(),
    "a revision that no parser reads": lambda root: nested(root / VERSIONS / "deep.py"),
    "a handler that no parser reads": lambda root: nested(root / "orders_inbox/handlers/credit.py"),
    "a link to itself among the records": lambda root: (root / "other.lock").symlink_to("other.lock"),
    "an ini that is a folder": lambda root: ((root / "alembic.ini").unlink(), (root / "alembic.ini").mkdir()),  # type: ignore[func-returns-value]
    "an ini that is no text": lambda root: (root / "alembic.ini").write_bytes(b"\xff\xfe[alembic]\n") and None,
}


@pytest.mark.parametrize("what", BREAK)
@pytest.mark.parametrize("arguments", [["new", "orders.yaml"], ["check"], ["diff", "orders.yaml"]])
def test_disk(repository: Repository, what: str, arguments: list[str]) -> None:
    BREAK[what](repository.root)
    for spec in (SPEC, SPEC.replace("100", "200")):
        (repository.root / "orders.yaml").write_text(spec)
        answer = repository.inboxgen(*arguments)
        assert answer.code in (0, 1, 3), answer.said
        assert "Traceback" not in answer.said


def test_every_line_of_the_record(repository: Repository) -> None:
    """Cut off, mangled, or gone."""
    lock = repository.root / "orders.lock"
    lines = lock.read_text().splitlines(keepends=True)
    (repository.root / "orders.yaml").write_text(SPEC.replace("100", "200"))
    for number, line in enumerate(lines):
        for instead in (line[: len(line) // 2] + "\n", line.replace('"', "").replace("{", "["), line[:-2] + "\n", ""):
            if instead == line:
                continue
            lock.write_text("".join((*lines[:number], instead, *lines[number + 1 :])))
            answer = repository.inboxgen("diff", "orders.yaml")
            assert answer.code in (1, 3), (line, instead, answer.said)
            assert "this is a bug" not in answer.said


def test_a_record_of_a_version_to_come(repository: Repository) -> None:
    with (repository.root / "orders.lock").open("a") as lock:
        lock.write('spec novelty="1"\n')
    (repository.root / "orders.yaml").write_text(SPEC.replace("100", "200"))
    answer = repository.inboxgen("new", "orders.yaml")
    assert (answer.code, "R401" in answer.said, "novelty" in answer.said) == (3, True, True)


def test_a_record_with_an_editors_mark_is_not_passed_over(repository: Repository) -> None:
    lock = repository.root / "orders.lock"
    lock.write_bytes(b"\xef\xbb\xbf" + lock.read_bytes())
    answer = repository.inboxgen("check")
    assert (answer.code, "orders.lock" in answer.said) == (3, True)


def test_an_empty_path_is_nothing_to_accept(repository: Repository) -> None:
    answer = repository.inboxgen("new", "orders.yaml", "--accept", "")
    assert (answer.code, "R410" in answer.said) == (3, True)


def test_a_folder_that_is_closed_to_us(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may look into every folder, so the system's answer is made up."""
    (repository.root / "closed").mkdir()
    is_file = Path.is_file

    def refuse(path: Path) -> bool:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)
    assert repository.inboxgen("check").code == 0


def test_a_working_directory_that_is_gone(tmp_path: Path) -> None:
    program = f"import os; os.rmdir({str(tmp_path)!r}); from inboxgen.cli import main; main(['check'])"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    ran = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, "No such file or directory" in ran.stderr) == (3, True)
    assert "Traceback" not in ran.stderr


def test_a_name_that_is_no_utf8(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/orders\xff.yaml"
    with Path(os.fsdecode(name)).open("w") as spec:
        spec.write("inbox: orders\nconsumers: [credit\n")
    ran = subprocess.run([*map(os.fsencode, COMMAND), b"new", name], capture_output=True, check=False)
    assert ran.returncode == 2, ran.stderr
    assert b"error[E105]" in ran.stderr


def test_a_terminal_of_another_code_page(tmp_path: Path) -> None:
    (tmp_path / "orders.yaml").write_text("inbox: bestellüng→\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run(
        [*COMMAND, "new", "orders.yaml"], cwd=tmp_path, env=environment, capture_output=True, check=False
    )
    assert ran.returncode == 2, ran.stderr
    assert b"\\u2192" in ran.stderr
