from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.trees import files

SPEC = "inbox: {name}\ndialects: [sqlite]\nconsumers: [credit]\ntable: {table}\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one generated inbox, by the real product."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, name: str, table: str = "inbox") -> None:
    path.write_text(SPEC.format(name=name, table=table))


def test_a_lost_record_is_not_taken_for_a_first_run(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    (root / "orders.lock").unlink()
    answer = inboxgen("new", "orders.yaml")
    assert answer.code == 3
    assert "error[R414]" in answer.err
    assert "git restore orders.lock" in answer.err
    assert len(list(root.glob("migrations/versions/*.py"))) == 1


def test_nor_is_that_of_a_table_that_was_taken_over(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders", "{name: messages, was: messages}")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    (root / "orders.lock").unlink()
    assert "error[R414]" in inboxgen("new", "orders.yaml").err


def test_two_recorded_revisions_beside_each_other(root: Path, inboxgen: Run) -> None:
    """What two branches wrote, where whoever merged them kept both halves of the record."""
    write(root / "orders.yaml", "orders")
    spec, lock = (root / "orders.yaml").read_text(), root / "orders.lock"
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    base = files(root)
    (root / "orders.yaml").write_text(spec + "uniqueness: alternate-key\n")
    assert inboxgen("new", "orders.yaml").code == 0
    frozen = [line for line in lock.read_text().splitlines() if line.startswith("frozen ")]
    theirs = {path: content for path, content in files(root).items() if path not in base}
    for path, content in base.items():
        (root / path).write_bytes(content)
    for path in theirs:
        (root / path).unlink()
    (root / "orders.yaml").write_text(spec + "names: {dedup_key: once}\n")
    assert inboxgen("new", "orders.yaml").code == 0
    for path, content in theirs.items():
        (root / path).write_bytes(content)
    header, *facts = lock.read_text().splitlines()
    lock.write_text("".join(f"{line}\n" for line in (header, *dict.fromkeys((*frozen, *facts)))))
    (root / "orders.yaml").write_text(spec + "names: {dedup_key: only_once}\n")
    answer = inboxgen("new", "orders.yaml")
    assert answer.code == 3
    assert "R514" in answer.err


def test_two_specs_do_not_share_a_table(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    write(root / "billing.yaml", "billing")
    answer = inboxgen("new", "billing.yaml")
    assert answer.code == 3
    assert "billing.yaml: error[R415]: orders.lock records the same table" in answer.err
    write(root / "billing.yaml", "billing", "billing_inbox")
    assert inboxgen("new", "billing.yaml").code == 0
    assert inboxgen("check").code == 0


RENAMED = "key: {event_id: {type: uuid, was: message_id}}\n"


@pytest.mark.parametrize("table", ["inbox", "inbox_next"])
def test_a_table_that_was_put_aside_is_still_its_spec_s(table: str, root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    (root / "orders.yaml").write_text((root / "orders.yaml").read_text() + RENAMED)
    assert inboxgen("new", "orders.yaml").code == 0
    assert 'table.name="inbox_next"' in (root / "orders.lock").read_text()
    write(root / "billing.yaml", "billing", table)
    assert "error[R415]: orders.lock records the same table" in inboxgen("new", "billing.yaml").err


def test_a_table_is_not_put_aside_under_the_name_of_another_inbox(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    write(root / "billing.yaml", "billing", "inbox_next")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    assert inboxgen("new", "billing.yaml").code == 0
    (root / "orders.yaml").write_text((root / "orders.yaml").read_text() + RENAMED)
    assert "error[R415]: billing.lock records the same table" in inboxgen("new", "orders.yaml").err


def test_an_old_name_is_taken_until_the_rename_is_settled(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    write(root / "orders.yaml", "orders", "{name: markers, was: inbox}")
    assert inboxgen("new", "orders.yaml").code == 0
    write(root / "billing.yaml", "billing")
    assert "error[R415]: orders.lock records the same table" in inboxgen("new", "billing.yaml").err
    # Another branch, which knew nothing of this one, has made it all the same.
    lock = (root / "orders.lock").rename(root / "kept")
    assert inboxgen("new", "billing.yaml").code == 0
    lock.rename(root / "orders.lock")
    assert "error[R415]: billing.lock records the same table" in inboxgen("new", "orders.yaml", "--settled").err
    (root / "billing.lock").unlink()
    for path in [*root.glob("migrations/versions/*_billing_*.py"), *root.glob("golden/billing/*/0*.sql")]:
        path.unlink()
    assert inboxgen("new", "orders.yaml", "--settled").code == 0
    assert inboxgen("new", "billing.yaml").code == 0


def test_a_fork_that_a_merge_brought_is_seen_though_every_hash_fits(root: Path, inboxgen: Run) -> None:
    write(root / "orders.yaml", "orders")
    assert inboxgen("new", "orders.yaml", "--init-alembic").code == 0
    (ours,) = root.glob("migrations/versions/*.py")
    for name in ("0123456789ab", "ba9876543210"):
        text = f'revision = "{name}"\ndown_revision = "{ours.name[:12]}"\n'
        (ours.parent / f"{name}_orders_change.py").write_text(text)
    answer = inboxgen("check")
    assert answer.code == 3
    assert "R514" in answer.out
