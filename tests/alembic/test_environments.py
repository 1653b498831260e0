"""Our revision in every kind of environment, on real servers: up, nothing left to migrate, down, up again."""

from __future__ import annotations

from pathlib import Path

import pytest
from alembic.config import Config
from sqlalchemy import URL, create_engine, inspect

from inboxgen.model import Api
from tests.alembic.projects import (
    add_first_revision,
    alembic,
    first_revision,
    make_inbox,
    write_init_environment,
    write_package,
    write_stock_environment,
)

TEMPLATES = Path(Config().get_template_directory())
ASYNC_DRIVERS = {"sqlite": "aiosqlite", "postgresql": "asyncpg", "mariadb": "aiomysql", "mysql": "asyncmy"}
# The templates with pyproject.toml came with Alembic 1.16.
STOCK = sorted({path.name for path in TEMPLATES.iterdir()} & {"generic", "async", "pyproject", "pyproject_async"})
ROUND = ("upgrade head", "check", "downgrade base", "upgrade head", "check")


def asynchronous(url: URL) -> URL:
    name = url.get_backend_name()
    pytest.importorskip(ASYNC_DRIVERS[name])
    return url.set(drivername=f"{name}+{ASYNC_DRIVERS[name]}")


def table_names(url: URL) -> set[str]:
    engine = create_engine(url)
    try:
        return set(inspect(engine).get_table_names())
    finally:
        engine.dispose()


@pytest.mark.parametrize(("api", "driver"), [(Api.SYNC, Api.SYNC), (Api.ASYNC, Api.SYNC), (Api.ASYNC, Api.ASYNC)])
def test_round_in_our_own_environment(tmp_path: Path, engine_url: URL, api: Api, driver: Api) -> None:
    inbox = make_inbox(api=api)
    write_package(tmp_path, inbox)
    write_init_environment(tmp_path, inbox)
    environment = add_first_revision(tmp_path, inbox)
    assert environment.ini == "alembic.ini"
    assert environment.version_folders == ("migrations/versions",)

    url = asynchronous(engine_url) if driver is Api.ASYNC else engine_url
    ran = alembic(tmp_path, *ROUND, env={"DATABASE_URL": url.render_as_string(hide_password=False)})

    assert ran.status == 0, ran.stderr
    assert ran.stdout.count("No new upgrade operations detected.") == 2
    assert table_names(engine_url) == {"alembic_version", "inbox"}


@pytest.mark.parametrize("template", STOCK)
def test_round_in_a_stock_environment(tmp_path: Path, engine_url: URL, template: str) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    write_stock_environment(tmp_path, template, asynchronous(engine_url) if "async" in template else engine_url)
    environment = add_first_revision(tmp_path, inbox)
    assert environment.ini == ("pyproject.toml" if "pyproject" in template else "alembic.ini")

    ran = alembic(tmp_path, *ROUND)

    assert ran.status == 0, ran.stderr
    assert ran.stdout.count("No new upgrade operations detected.") == 2
    assert table_names(engine_url) == {"alembic_version", "inbox"}


@pytest.mark.parametrize("template", ["generic", "async"])
def test_a_naming_convention_of_the_users_renames_nothing(tmp_path: Path, engine_url: URL, template: str) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    models = tmp_path / inbox.package / "models.py"
    convention = {kind: f"convention_{kind}_%(table_name)s" for kind in ("ix", "uq", "ck", "fk", "pk")}
    plain, named = (
        "Base(DeclarativeBase):\n    pass",
        f"Base(DeclarativeBase):\n    metadata = MetaData(naming_convention={convention})",
    )
    assert plain in models.read_text()
    models.write_text("from sqlalchemy import MetaData\n" + models.read_text().replace(plain, named))
    write_stock_environment(tmp_path, template, asynchronous(engine_url) if template == "async" else engine_url)
    add_first_revision(tmp_path, inbox)

    ran = alembic(tmp_path, *ROUND)

    assert ran.status == 0, ran.stderr
    engine = create_engine(engine_url)
    assert {index["name"] for index in inspect(engine).get_indexes("inbox")} == {inbox.table.dedup_key}
    engine.dispose()


def test_it_follows_the_users_own_revisions(tmp_path: Path, engine_url: URL) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    write_stock_environment(tmp_path, "generic", engine_url)
    before = alembic(tmp_path, "revision -m first --rev-id aaaa", "revision -m second --rev-id bbbb")
    assert before.status == 0, before.stderr
    add_first_revision(tmp_path, inbox)

    ran = alembic(tmp_path, "revision -m third --rev-id cccc", *ROUND, "history")

    assert ran.status == 0, ran.stderr
    assert "bbbb -> a1b2c3d4e5f6, orders: create inbox" in ran.stdout
    assert "a1b2c3d4e5f6 -> cccc (head)" in ran.stdout


def test_it_goes_beside_its_parent_where_there_are_several_version_folders(tmp_path: Path, sqlite_url: URL) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    write_stock_environment(tmp_path, "generic", sqlite_url)
    ini = tmp_path / "alembic.ini"
    ini.write_text(ini.read_text().replace("[alembic]", "[alembic]\nversion_locations = %(here)s/one:%(here)s/two", 1))
    ini.write_text(ini.read_text().replace("path_separator = os", "path_separator = :"))
    before = alembic(tmp_path, f"revision -m first --rev-id aaaa --version-path {tmp_path}/two")
    assert before.status == 0, before.stderr

    environment = add_first_revision(tmp_path, inbox)

    assert environment.version_folders == ("one", "two")
    assert (tmp_path / "two/a1b2c3d4e5f6_orders_create_inbox.py").is_file()
    ran = alembic(tmp_path, *ROUND)
    assert ran.status == 0, ran.stderr


def test_a_branch_of_its_own_carries_the_label(tmp_path: Path, sqlite_url: URL) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    write_stock_environment(tmp_path, "generic", sqlite_url)
    before = alembic(tmp_path, "revision -m first --rev-id aaaa")
    assert before.status == 0, before.stderr
    (tmp_path / "migrations/versions/ours.py").write_text(first_revision(inbox, branch="messaging"))

    ran = alembic(tmp_path, "upgrade messaging@head", "upgrade heads", "check", "heads")

    assert "a1b2c3d4e5f6 (messaging) (head)" in ran.stdout, ran.stderr
    assert table_names(sqlite_url) == {"alembic_version", "inbox"}
