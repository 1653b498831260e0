"""What a spec says of a change that is not settled yet: its past may go from the spec, and is not told otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.cases import CASES, Case
from tests.changes.repositories import Repository

PAST = {
    "add_key_column": ", backfill: main",
    "rename_columns": ", was: message_id",
    "rename_column": ", was: message_id",
}


def changed(folder: Path, case: Case) -> Repository:
    folder.mkdir()
    repository = Repository(folder)
    repository.begin(case)
    repository.change(case)
    return repository


@pytest.mark.parametrize("name", PAST)
@pytest.mark.parametrize("told", [True, False], ids=["with a run between", "at once"])
def test_the_spec_may_forget_it(name: str, told: bool, tmp_path: Path) -> None:
    case = CASES[name]
    spec = case.specs[1]
    without = spec.replace(PAST[name], "")
    assert without != spec
    kept, forgotten = changed(tmp_path / "kept", case), changed(tmp_path / "forgotten", case)
    if told:
        before = forgotten.files()
        assert forgotten.new(without).code == 0
        altered = {path for path, text in forgotten.files().items() if before.get(path) != text}
        assert altered == {"orders.yaml", "orders.lock"}
        assert forgotten.new(without).said == "orders.yaml: up to date\n"
    for _ in range(case.settled):
        assert kept.new(spec, "--settled").code == 0
        assert forgotten.new(without, "--settled").code == 0
        assert _scripts(kept) == _scripts(forgotten)
        assert forgotten.inboxgen("check").code == 0
    assert len(_scripts(kept)) > len(_scripts(changed(tmp_path / "unsettled", case)))


def _scripts(repository: Repository) -> set[str]:
    """The SQL of every revision, without its id."""
    return {text for path, text in repository.files().items() if path.endswith(".sql") and "/0" in path}


@pytest.mark.parametrize("arguments", [(), ("--settled",)], ids=str)
def test_another_backfill_is_refused(arguments: tuple[str, ...], tmp_path: Path) -> None:
    case = CASES["add_key_column"]
    repository = changed(tmp_path / "repository", case)
    other = case.specs[1].replace("main", "shop")
    before = repository.files()
    answer = repository.new(other, *arguments)
    assert answer.code == 3
    assert "R617" in answer.said
    assert "tenant from main to shop" in answer.said
    assert repository.files() == {**before, "orders.yaml": other}
    assert repository.inboxgen("check").code == 3


def test_another_backfill_after_the_revision_was_taken_back(tmp_path: Path) -> None:
    case = CASES["add_key_column"]
    repository = changed(tmp_path / "repository", case)
    assert repository.new(case.specs[1].replace("main", "shop"), "--amend").code == 0
    (script,) = (text for path, text in repository.files().items() if "/postgresql/0002" in path and "down" not in path)
    assert "DEFAULT 'shop'" in script
    assert repository.new(case.specs[1].replace("main", "shop"), "--settled").code == 0
    assert repository.new(case.specs[1]).said.count("R617") == 0


NAMING = """
naming: ef-core
table: inbox
names: {id: id, consumer: consumer, received_at: received_at, processed_at: processed_at, FIELD: FIELD, KEY
        primary_key: pk_inbox, dedup_key: ix_inbox_KEYS_consumer}
"""
EDITS = {
    "another name": (
        "rename_column",
        "{event_id: {type: string(100), was: message_id}}",
        "{uid: {type: string(100), was: event_id}}",
    ),
    "the name before": (
        "rename_column",
        "{event_id: {type: string(100), was: message_id}}",
        "{message_id: {type: string(100), was: event_id}}",
    ),
    "another time": ("rename_column", "consumers:", "names: {received_at: arrived}\nconsumers:"),
    "another consumer": (
        "rename_column",
        "consumers:",
        "names: {consumer: sub, dedup_key: ix_inbox_event_id_consumer}\nconsumers:",
    ),
    "another naming": (
        "add_key_column",
        "consumers:",
        NAMING.replace("FIELD", "message_id").replace("KEYS", "message_id_tenant").replace("KEY", "tenant: tenant,")
        + "consumers:",
    ),
    "another naming of a table that is put aside": (
        "rename_column",
        "consumers:",
        NAMING.replace("FIELD", "event_id").replace("KEYS", "event_id").replace("KEY", "") + "consumers:",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("arguments", [(), ("--settled",)], ids=str)
def test_a_further_change_waits(edit: str, arguments: tuple[str, ...], tmp_path: Path) -> None:
    name, found, put = EDITS[edit]
    case = CASES[name]
    repository = changed(tmp_path / "repository", case)
    before = repository.files()
    spec = case.specs[1].replace(found, put)
    assert spec != case.specs[1]
    answer = repository.new(spec, *arguments)
    assert answer.code == 3, answer.said
    assert "R602" in answer.said
    assert repository.files() == {**before, "orders.yaml": spec}


def test_a_revision_that_the_record_has_forgotten(tmp_path: Path) -> None:
    """As `git checkout HEAD~1 -- .` leaves it: what was there goes back, and what was added stays."""
    case = CASES["add_key_column"]
    root = tmp_path / "repository"
    root.mkdir()
    repository = Repository(root)
    repository.begin(case)
    before = repository.files()
    repository.change(case)
    for path, text in before.items():
        (root / path).write_text(text)
    (left,) = (path for path in repository.files() if path.endswith("_orders_add_tenant.py"))
    for answer in (repository.inboxgen("check"), repository.new(case.specs[1].replace("main", "shop"))):
        assert answer.code == 3
        assert f"{left}: error[R421]" in answer.said
    for path in repository.files().keys() - before.keys():
        (root / path).unlink()
    assert repository.new(case.specs[1]).code == 0
    # A revision of the user's may be called like one of ours.
    (root / "migrations/versions/0123456789ab_orders_report.py").write_text(
        'revision = "0123456789ab"\ndown_revision = "' + Path(left).name[:12] + '"\n'
    )
    assert repository.inboxgen("check").code == 0
