"""`--amend`: our last revision is written anew, as long as nothing follows it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inboxgen import apply as writer
from inboxgen.lock import Lock, parse_lock
from inboxgen.model import Migrations
from inboxgen.revisions import AlembicEnvironment, find_environment
from tests.changes.repositories import Repository

FIRST = "inbox: orders\ndialects: [postgresql, sqlite]\nconsumers: [credit, email]\nkey: {message_id: string(100)}\n"
WIDER = FIRST.replace("100", "200")
WIDEST = FIRST.replace("100", "300")
LONGER = FIRST.replace("}", ", tenant: {type: bigint, backfill: '0'}}")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    assert found.new(FIRST, "--init-alembic").code == 0
    return found


def lock(repository: Repository) -> Lock:
    return parse_lock((repository.root / "orders.lock").read_text(), "orders.lock")


def environment(repository: Repository) -> AlembicEnvironment:
    found = find_environment(repository.root, Migrations())
    assert found
    return found


def test_the_last_revision_is_written_anew(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    first = lock(repository).head
    assert repository.new(WIDER).code == 0
    second = lock(repository).head
    answer = repository.new(WIDEST, "--amend")
    assert answer.code == 0, answer.said
    third = lock(repository).head
    assert f"revision {second} is {third} now" in answer.said
    assert f"alembic downgrade {first}" in answer.said
    assert [each.parents for each in environment(repository).revisions.values() if each.id == third] == [(first,)]
    assert second not in environment(repository).revisions
    assert not [path for path in repository.files() if second in path]
    straight = Repository(tmp_path_factory.mktemp("straight"))
    straight.new(FIRST, "--init-alembic")
    straight.new(WIDEST)
    assert repository.files() == straight.files()
    assert repository.inboxgen("check", "orders.yaml").code == 0


def test_it_can_be_amended_again(repository: Repository) -> None:
    repository.new(WIDER)
    repository.new(WIDEST, "--amend")
    assert repository.new(WIDER, "--amend").code == 0
    assert len(environment(repository).revisions) == 2
    assert repository.inboxgen("check", "orders.yaml").code == 0


def test_the_first_revision_too(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    answer = repository.new(LONGER, "--amend")
    assert answer.code == 0, answer.said
    assert "alembic downgrade base" in answer.said
    straight = Repository(tmp_path_factory.mktemp("straight"))
    straight.new(LONGER, "--init-alembic")
    ours = {path: text for path, text in straight.files().items() if path != "orders.lock"}
    assert {path: text for path, text in repository.files().items() if path != "orders.lock"} == ours


def test_back_to_the_schema_before_it_goes(repository: Repository) -> None:
    repository.new(WIDER)
    before = {path for path in repository.files() if path != "orders.lock"}
    repository.new(WIDEST)
    answer = repository.new(WIDER, "--amend")
    assert answer.code == 0, answer.said
    assert "is gone" in answer.said
    assert {path for path in repository.files() if path != "orders.lock"} == before
    again = repository.new(FIRST, "--amend")
    assert (again.code, "R419" in again.said) == (3, True)


def test_what_was_not_settled_is_not_settled_again(repository: Repository) -> None:
    repository.new(LONGER)
    expanded = repository.files()
    assert repository.new(LONGER, "--settled").code == 0
    assert repository.new(LONGER, "--amend").code == 0
    assert repository.files().keys() == expanded.keys()
    assert lock(repository).unsettled
    assert repository.new(LONGER, "--settled").code == 0
    assert not lock(repository).unsettled


def test_consumers_that_came_since_stay(repository: Repository) -> None:
    repository.new(WIDER)
    repository.new(WIDER.replace("email", "email, erp"))
    assert repository.new(WIDEST.replace("email", "email, erp"), "--amend").code == 0
    assert (repository.root / "orders_inbox/handlers/erp.py").exists()
    assert repository.inboxgen("check", "orders.yaml").code == 0


def test_not_while_another_revision_follows(repository: Repository) -> None:
    repository.new(WIDER)
    head = lock(repository).head
    theirs = repository.root / "migrations/versions/abc_theirs.py"
    theirs.write_text(f'revision = "abc"\ndown_revision = "{head}"\n')
    before = repository.files()
    answer = repository.new(WIDEST, "--amend")
    assert (answer.code, "R418" in answer.said, "abc_theirs.py" in answer.said) == (3, True, True)
    assert {**repository.files(), "orders.yaml": ""} == {**before, "orders.yaml": ""}
    theirs.write_text(f'revision = "abc"\ndown_revision = None\ndepends_on = "{head}"\n')
    assert "R418" in repository.new(WIDEST, "--amend").said


def test_an_edit_by_hand_is_not_lost(repository: Repository) -> None:
    repository.new(WIDER)
    (edited,) = (repository.root / "golden/orders/sqlite").glob("0002_*n.sql")
    edited.write_text("-- mine\n")
    answer = repository.new(WIDEST, "--amend")
    assert (answer.code, "R420" in answer.said) == (3, True)
    assert "inboxgen new orders.yaml --amend --force" in answer.said
    assert edited.read_text() == "-- mine\n"
    assert repository.new(WIDEST, "--amend", "--force").code == 0
    assert not edited.exists()


def test_an_edit_that_was_accepted_is_not_lost_either(repository: Repository) -> None:
    repository.new(WIDER)
    (edited,) = (repository.root / "golden/orders/sqlite").glob("0002_*n.sql")
    edited.write_text("-- mine\n")
    path = edited.relative_to(repository.root).as_posix()
    assert repository.inboxgen("new", "orders.yaml", "--accept", path).code == 0
    assert lock(repository).accepted == (path,)
    for spec in (WIDER, WIDEST):
        answer = repository.new(spec, "--amend")
        assert (answer.code, "R420" in answer.said) == (3, True)
        assert edited.read_text() == "-- mine\n"
    repository.new(WIDER)
    assert lock(repository).accepted == (path,)
    assert repository.new(WIDER, "--amend", "--force").code == 0
    assert (edited.read_text() == "-- mine\n", lock(repository).accepted) == (False, ())


def test_there_must_be_one(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    answer = repository.new(FIRST, "--amend", "--init-alembic")
    assert (answer.code, "R416" in answer.said) == (3, True)
    assert not (tmp_path / "orders.lock").exists()


class Killed(BaseException):
    """Stands for a signal; no `except Exception` may catch it."""


def test_killed_at_any_write_it_is_finished_by_the_next_run(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    carry_out, write_lock = writer._carry_out, writer._write_lock
    small = "inbox: orders\ndialects: [sqlite]\nconsumers: [credit]\nkey: {message_id: string(100)}\n"
    begun = Repository(tmp_path_factory.mktemp("begun"))
    begun.new(small, "--init-alembic")
    begun.new(small.replace("100", "200"))
    widest = small.replace("100", "300")

    def run(at: int) -> tuple[Repository, bool]:
        repository = Repository(tmp_path_factory.mktemp("amend") / "repository")
        shutil.copytree(begun.root, repository.root)
        left = at

        def dying(call):  # type: ignore[no-untyped-def]
            def write(*arguments):  # type: ignore[no-untyped-def]
                nonlocal left
                left -= 1
                if left < 0:
                    raise Killed
                call(*arguments)

            return write

        with monkeypatch.context() as patch:
            patch.setattr(writer, "_carry_out", dying(carry_out))
            patch.setattr(writer, "_write_lock", dying(write_lock))
            try:
                repository.new(widest, "--amend")
            except Killed:
                return repository, True
        return repository, False

    whole, killed = run(1_000)
    assert not killed
    at = 0
    while True:
        repository, killed = run(at)
        if not killed:
            break
        if at > 0:  # before the first write nothing was begun, and nothing is to be finished
            assert "R417" in repository.new(widest, "--amend").said
            assert repository.new(widest).code == 0
            assert repository.files() == whole.files(), at
        at += 1
    assert at > 10
