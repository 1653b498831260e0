from __future__ import annotations

from pathlib import Path

import pytest

from inboxgen.apply import apply
from inboxgen.findings import RepositoryError
from inboxgen.lock import parse_lock
from inboxgen.plan import Options
from tests.fake_product import rewrite
from tests.plan.conftest import Planner

MODELS = "orders_inbox/models.py"
HANDLER = "orders_inbox/handlers/credit.py"


def codes(planned: Planner, **options: object) -> list[tuple[str, str]]:
    return [(each.code, each.place.path) for each in planned(Options(**options)).refused]  # type: ignore[arg-type]


def frozen_sql(project: Path) -> Path:
    (path,) = project.glob("golden/orders/sqlite/0001_*.up.sql")
    return path


def revisions(project: Path) -> list[Path]:
    return sorted(project.glob("migrations/versions/*.py"))


def test_new_writes_everything_and_again_nothing(project: Path, planned: Planner) -> None:
    assert [each.code for each in planned().stale] == ["S301"]
    assert apply(planned())
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in project.rglob("*") if path.is_file()}
    assert not apply(planned())
    assert not planned().stale
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in before} == before
    assert len(revisions(project)) == 1


def test_the_record_names_each_file_with_its_owner(project: Path, planned: Planner) -> None:
    apply(planned())
    lock = parse_lock((project / "orders.lock").read_text(), "orders.lock")
    kinds = {entry.path: entry.kind for entry in lock.entries}
    assert kinds[MODELS] == "derived"
    assert kinds[HANDLER] == "yours"
    assert kinds[frozen_sql(project).relative_to(project).as_posix()] == "frozen"
    assert lock.head == revisions(project)[0].name[:12]
    assert not lock.interrupted


def test_a_change_updates_derived_files_and_adds_a_revision_after_ours(project: Path, planned: Planner) -> None:
    apply(planned())
    (first,) = revisions(project)
    rewrite(project / "orders.yaml", columns="id extra")
    plan = planned()
    assert {each.code for each in plan.stale} == {"S303", "S304"}
    assert plan.revision is not None
    assert plan.revision.parent == first.name[:12]
    apply(plan)
    assert (project / MODELS).read_text() == "COLUMNS = 'id extra'\n"
    assert len(revisions(project)) == 2
    assert not planned().stale


def test_a_spec_that_means_the_same_is_not_stale_but_recorded(project: Path, planned: Planner) -> None:
    apply(planned())
    spec = project / "orders.yaml"
    spec.write_text("# a comment\n" + spec.read_text())
    assert not planned().stale
    assert apply(planned())
    assert not apply(planned())


def test_another_generator_is_stale_even_if_it_renders_the_same(
    project: Path, planned: Planner, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(planned())
    monkeypatch.setattr("inboxgen.cli.workspace.generator_hash", lambda: "f" * 64)
    assert [each.code for each in planned().stale] == ["S306"]


def test_a_derived_file_that_was_edited_is_refused_and_force_drops_the_edit(project: Path, planned: Planner) -> None:
    apply(planned())
    (project / MODELS).write_text("mine\n")
    assert codes(planned) == [("R406", MODELS)]
    with pytest.raises(RepositoryError):
        apply(planned())
    assert (project / MODELS).read_text() == "mine\n"
    apply(planned(Options(force=True)))
    assert (project / MODELS).read_text() == "COLUMNS = 'id'\n"


def test_a_foreign_file_in_the_way_is_refused_even_by_force(project: Path, planned: Planner) -> None:
    (project / "orders_inbox").mkdir()
    (project / MODELS).write_text("mine\n")
    assert codes(planned, force=True) == [("R407", MODELS)]
    with pytest.raises(RepositoryError):
        apply(planned())
    assert not (project / "orders.lock").exists()
    assert not revisions(project)


def test_all_refusals_are_told_at_once(project: Path, planned: Planner) -> None:
    apply(planned())
    (project / MODELS).write_text("mine\n")
    frozen_sql(project).unlink()
    assert sorted(code for code, _ in codes(planned)) == ["R404", "R406"]


def test_frozen_files_are_never_rendered_again(project: Path, planned: Planner) -> None:
    apply(planned())
    frozen_sql(project).write_text("by a DBA\n")
    path = frozen_sql(project).relative_to(project).as_posix()
    assert codes(planned, force=True) == [("R405", path)]
    plan = planned(Options(accept=frozenset({path})))
    assert not plan.refused
    apply(plan)
    assert frozen_sql(project).read_text() == "by a DBA\n"
    assert not planned().stale
    assert not planned().refused


def test_accepting_what_is_not_frozen_is_refused(project: Path, planned: Planner) -> None:
    apply(planned())
    assert codes(planned, accept=frozenset({MODELS, "no.sql"})) == [("R410", "no.sql"), ("R410", MODELS)]


def test_handlers_are_written_once_then_only_when_missing(project: Path, planned: Planner) -> None:
    apply(planned())
    (project / HANDLER).write_text("my code\n")
    assert not planned().stale
    assert not apply(planned())
    (project / HANDLER).unlink()
    assert [each.code for each in planned().stale] == ["S303"]
    apply(planned())
    assert (project / HANDLER).read_text() == "raise NotImplementedError\n"


def test_a_removed_consumers_handler_is_reported_once_and_stays(project: Path, planned: Planner) -> None:
    apply(planned())
    rewrite(project / "orders.yaml", consumers="email")
    plan = planned()
    assert plan.reported == (HANDLER,)
    apply(plan)
    assert (project / HANDLER).exists()
    assert not planned().reported


def test_another_package_deletes_ours_and_asks_for_the_handlers(project: Path, planned: Planner) -> None:
    apply(planned())
    rewrite(project / "orders.yaml", package="inboxes/orders")
    plan = planned()
    assert [(each.code, each.place.path) for each in plan.refused] == [
        ("R409", "inboxes/orders/handlers/credit.py"),
        ("R409", "inboxes/orders/handlers/email.py"),
    ]
    assert plan.refused[0].fix == f"git mv {HANDLER} inboxes/orders/handlers/credit.py"
    (project / "inboxes" / "orders").mkdir(parents=True)
    (project / "orders_inbox" / "handlers").rename(project / "inboxes" / "orders" / "handlers")
    apply(planned())
    assert not (project / "orders_inbox").exists()
    assert (project / "inboxes/orders/models.py").exists()
    assert not planned().stale


def test_a_renamed_consumer_asks_for_its_handler(project: Path, planned: Planner) -> None:
    apply(planned())
    rewrite(project / "orders.yaml", consumers="credits=credit email")
    (finding,) = planned().refused
    assert (finding.code, finding.fix) == ("R409", f"git mv {HANDLER} orders_inbox/handlers/credits.py")
    (project / HANDLER).rename(project / "orders_inbox/handlers/credits.py")
    apply(planned())
    assert not planned().stale


def test_an_orphan_that_was_edited_is_not_deleted(project: Path, planned: Planner) -> None:
    apply(planned())
    rewrite(project / "orders.yaml", package="other")
    (project / MODELS).write_text("mine\n")
    assert ("R408", MODELS) in codes(planned)


def test_files_that_equal_the_rendered_are_taken_over_without_a_record(project: Path, planned: Planner) -> None:
    apply(planned())
    lock = (project / "orders.lock").read_text()
    rewrite(project / "orders.yaml", migrations="none")
    (project / "orders.lock").unlink()
    for path in revisions(project):
        path.unlink()
    frozen_sql(project).unlink()
    apply(planned())
    again = (project / "orders.lock").read_text()
    assert f"derived {_digest(lock, MODELS)} {MODELS}" in again


def _digest(lock: str, path: str) -> str:
    return next(line.split()[1] for line in lock.splitlines() if line.endswith(f" {path}"))
