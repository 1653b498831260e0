from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from tests.fake_product import rewrite


def tree(project: Path) -> dict[str, bytes]:
    return {str(path.relative_to(project)): path.read_bytes() for path in project.rglob("*") if path.is_file()}


def test_new_says_what_it_wrote_and_ends_with_three_steps(project: Path, inboxgen: Run) -> None:
    answer = inboxgen("new", "orders.yaml", "--init-alembic")
    assert answer.code == 0
    assert "create orders_inbox/models.py\n" in answer.out
    assert answer.out.endswith("create orders.lock\n")
    assert answer.err == (
        "Next:\n"
        "  1. alembic upgrade head\n"
        "  2. fill in orders_inbox/handlers/credit.py, orders_inbox/handlers/email.py\n"
        "  3. call consume_credit, consume_email (from orders_inbox) where your consumer receives a message\n"
    )


def test_again_is_one_line_and_touches_nothing(project: Path, inboxgen: Run) -> None:
    inboxgen("new", "orders.yaml", "--init-alembic")
    before = tree(project)
    answer = inboxgen("new", "orders.yaml")
    assert (answer.code, answer.out, answer.err) == (0, "orders.yaml: up to date\n", "")
    assert inboxgen("new", "orders.yaml", "--init-alembic").out == "orders.yaml: up to date\n"
    assert tree(project) == before


def test_without_alembic_it_names_both_ways_out(project: Path, inboxgen: Run) -> None:
    answer = inboxgen("new", "orders.yaml")
    assert (answer.code, answer.out) == (3, "")
    assert "error[R412]" in answer.err
    assert "--init-alembic" in answer.err
    assert "migrations: none" in answer.err


def test_sql_alone_asks_for_the_schema_to_be_applied(project: Path, inboxgen: Run) -> None:
    rewrite(project / "orders.yaml", migrations="none")
    answer = inboxgen("new", "orders.yaml")
    assert answer.code == 0
    assert "1. apply golden/orders/sqlite/schema.sql to the database\n" in answer.err
    assert not list(project.glob("**/versions"))


def test_a_missing_spec_points_to_init(project: Path, inboxgen: Run) -> None:
    answer = inboxgen("new", "nothing.yaml")
    assert answer.code == 2
    assert "inboxgen init nothing.yaml" in answer.err


def test_a_bad_spec_is_2_and_writes_nothing(project: Path, inboxgen: Run) -> None:
    rewrite(project / "orders.yaml", oops="1")
    before = tree(project)
    answer = inboxgen("new", "orders.yaml", "--init-alembic")
    assert answer.code == 2
    assert "orders.yaml:1:1: error[E201]" in answer.err
    assert tree(project) == before


def test_dry_run_says_it_and_writes_nothing(project: Path, inboxgen: Run) -> None:
    before = tree(project)
    answer = inboxgen("new", "orders.yaml", "--init-alembic", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert "create orders_inbox/models.py\n" in answer.out
    assert tree(project) == before


def test_refusals_are_3_with_reason_and_remedy(project: Path, inboxgen: Run) -> None:
    inboxgen("new", "orders.yaml", "--init-alembic")
    (project / "orders_inbox" / "models.py").write_text("mine\n")
    before = tree(project)
    answer = inboxgen("new", "orders.yaml")
    assert (answer.code, answer.out) == (3, "")
    assert "orders_inbox/models.py: error[R406]" in answer.err
    assert "inboxgen new orders.yaml --force" in answer.err
    assert tree(project) == before
    assert inboxgen("new", "orders.yaml", "--force").code == 0
    assert inboxgen("check").code == 0


def test_accept_takes_a_path_from_where_the_user_stands(project: Path, inboxgen: Run) -> None:
    (project / "services").mkdir()
    (project / "orders.yaml").rename(project / "services" / "orders.yaml")
    inboxgen("new", "services/orders.yaml", "--init-alembic")
    (sql,) = project.glob("services/golden/orders/sqlite/*.up.sql")
    sql.write_text("by a DBA\n")
    refused = inboxgen("new", "services/orders.yaml")
    path = sql.relative_to(project).as_posix()
    assert refused.err.startswith(f"{path}: error[R405]")
    assert f"inboxgen new services/orders.yaml --accept {path}" in refused.err
    assert inboxgen("new", "services/orders.yaml", "--accept", path).code == 0
    assert inboxgen("check").code == 0


def test_a_removed_consumers_handler_is_mentioned(project: Path, inboxgen: Run) -> None:
    inboxgen("new", "orders.yaml", "--init-alembic")
    rewrite(project / "orders.yaml", consumers="credit")
    assert "orders_inbox/handlers/email.py is no longer called" in inboxgen("new", "orders.yaml").err


def test_a_broken_record_is_refused(project: Path, inboxgen: Run) -> None:
    inboxgen("new", "orders.yaml", "--init-alembic")
    with (project / "orders.lock").open("a") as file:
        file.write("<<<<<<< HEAD\n")
    for verb in ("new", "check", "diff"):
        answer = inboxgen(verb, "orders.yaml")
        assert answer.code == 3
        assert "git checkout --ours orders.lock" in answer.out + answer.err


def test_several_heads_need_after(project: Path, inboxgen: Run) -> None:
    (project / "alembic.ini").write_text("[alembic]\nscript_location = migrations\n")
    (project / "migrations" / "versions").mkdir(parents=True)
    for name in ("aaa", "bbb"):
        text = f'revision = "{name}"\ndown_revision = None\n'
        (project / "migrations" / "versions" / f"{name}.py").write_text(text)
    assert inboxgen("new", "orders.yaml").code == 3
    made = inboxgen("new", "orders.yaml", "--after", "bbb")
    assert made.code == 0
    assert (
        "  1. add orders_inbox.models.Base.metadata to target_metadata in env.py, then alembic upgrade head\n"
        in made.err
    )
    again = inboxgen("new", "orders.yaml", "--after", "aaa")
    assert (again.code, "--after attaches the first revision" in again.err) == (2, True)
    assert any('"bbb"' in path.read_text() for path in project.glob("migrations/versions/*_orders_create.py")) or any(
        "'bbb'" in path.read_text() for path in project.glob("migrations/versions/*_orders_create.py")
    )
