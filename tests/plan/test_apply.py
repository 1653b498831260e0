from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inboxgen.apply import apply
from inboxgen.findings import RepositoryError
from tests.fake_product import rewrite
from tests.plan.conftest import Planner
from tests.privileges import unprivileged

SYSTEM_CALLS = [
    (os, "open"),
    (os, "fsync"),
    *((Path, each) for each in ("mkdir", "unlink", "rmdir", "replace", "chmod")),
]
Killed = Callable[..., bool]


@pytest.fixture
def killed(planned: Planner) -> Killed:
    """Apply in a process that dies at its n-th write, before or after it; false if it lived to the end."""

    def run(number: int, after: bool, **arguments: Any) -> bool:
        child = os.fork()
        if child == 0:
            try:
                _die_at(number, after)
                apply(planned(**arguments))
                os._exit(0)
            finally:
                os._exit(1)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 9)
        return status == 9

    return run


def _die_at(number: int, after: bool) -> None:
    calls = iter(range(1_000_000))

    def wrap(call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            last = next(calls) == number
            if last and not after:
                os._exit(9)
            try:
                return call(*args, **kwargs)
            finally:
                if last:
                    os._exit(9)

        return counted

    for owner, name in SYSTEM_CALLS:
        setattr(owner, name, wrap(getattr(owner, name)))


def snapshot(project: Path) -> dict[str, str]:
    return {path.relative_to(project).as_posix(): path.read_text() for path in project.rglob("*") if path.is_file()}


def clean(project: Path, files: dict[str, str]) -> None:
    for path in sorted(project.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)


def change(project: Path) -> None:
    """Another revision, updates, deletions in a folder of their own, a new handler."""
    for path in (project / "orders_inbox" / "handlers").iterdir():
        path.unlink()
    rewrite(project / "orders.yaml", columns="id extra", package="renamed", consumers="credit refund")


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("first", [True, False], ids=["first-run", "change"])
def test_a_run_killed_at_any_write_is_finished_by_the_next(
    project: Path, planned: Planner, killed: Killed, first: bool, after: bool
) -> None:
    if not first:
        apply(planned())
        change(project)
    start = snapshot(project)
    apply(planned())
    expected = snapshot(project)
    number = 0
    while True:
        clean(project, start)
        if not killed(number, after):
            break
        assert not planned().refused
        apply(planned())
        assert snapshot(project) == expected, f"killed at write {number}"
        number += 1
    assert number > 30


def test_a_killed_run_that_began_an_environment_is_finished_without_being_told_again(
    project: Path, planned: Planner, killed: Killed
) -> None:
    start = {"orders.yaml": (project / "orders.yaml").read_text()}
    clean(project, start)
    apply(planned(init_alembic=True))
    expected = snapshot(project)
    number = 5  # before it the record is not there yet
    while True:
        clean(project, start)
        killed(number, True, init_alembic=True)
        if "pending" not in (project / "orders.lock").read_text():
            break
        apply(planned())
        assert snapshot(project) == expected, f"killed at write {number}"
        number += 1
    assert number > 30


@pytest.mark.parametrize("second", [14, 33])
def test_another_spec_after_two_killed_runs_leaves_one_revision(
    project: Path, planned: Planner, killed: Killed, second: int
) -> None:
    start = snapshot(project)
    rewrite(project / "orders.yaml", columns="third")
    apply(planned())
    expected = snapshot(project)
    number = 5  # before it the record is not there yet
    while True:
        clean(project, start)
        killed(number, True)
        if "pending" not in (project / "orders.lock").read_text():
            break
        rewrite(project / "orders.yaml", columns="second")
        killed(second, True)
        rewrite(project / "orders.yaml", columns="third")
        assert "pending" in (project / "orders.lock").read_text()
        assert not planned().refused
        apply(planned())
        assert snapshot(project) == expected, f"killed at write {number}"
        number += 5
    assert number > 30


def test_a_full_disk_is_one_finding_and_the_next_run_finishes(
    project: Path, planned: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "models.py":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(RepositoryError) as raised:
            apply(planned())
    (finding,) = raised.value.findings
    assert (finding.code, finding.place.path) == ("R411", "orders_inbox/models.py")
    assert "No space left" in finding.what
    assert "pending" in (project / "orders.lock").read_text()
    assert not list(project.rglob(".*"))
    apply(planned())
    assert "pending" not in (project / "orders.lock").read_text()


def test_a_folder_that_may_not_be_written_to(project: Path, planned: Planner) -> None:
    plan = planned()
    project.chmod(0o555)
    try:
        with unprivileged(project), pytest.raises(RepositoryError, match="Permission denied"):
            apply(plan)
    finally:
        project.chmod(0o700)
    assert not (project / "orders.lock").exists()


def test_a_rewritten_file_keeps_its_mode(project: Path, planned: Planner) -> None:
    apply(planned())
    path = project / "orders_inbox" / "models.py"
    path.chmod(0o640)
    rewrite(project / "orders.yaml", columns="id extra")
    apply(planned())
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_the_record_that_is_a_link_is_not_written_through(project: Path, planned: Planner) -> None:
    plan = planned()
    (project / "elsewhere").touch()
    (project / "orders.lock").symlink_to("elsewhere")
    with pytest.raises(RepositoryError, match="symbolic link"):
        apply(plan)
    assert (project / "elsewhere").read_text() == ""


def test_the_choice_of_a_parent_outlives_the_run(project: Path, planned: Planner, killed: Killed) -> None:
    for name in ("aaa", "bbb"):
        text = f'revision = "{name}"\ndown_revision = None\n'
        (project / "migrations" / "versions" / f"{name}.py").write_text(text)
    with pytest.raises(RepositoryError, match="R510"):
        planned()
    apply(planned(after="bbb"))
    expected = snapshot(project)
    lock = (project / "orders.lock").read_text()
    head = next(line.split()[1] for line in lock.splitlines() if line.startswith("head "))
    (project / "orders.lock").write_text(lock.splitlines()[0] + f"\npending head {head} bbb\n")
    apply(planned())
    assert snapshot(project) == expected
