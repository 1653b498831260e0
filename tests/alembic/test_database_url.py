"""Which database the environment of `--init-alembic` takes, and what it tells when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, text

from inboxgen.model import Api
from tests.alembic.projects import add_first_revision, alembic, make_inbox, write_init_environment, write_package


@pytest.fixture(params=Api)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    inbox = make_inbox(api=request.param)
    write_package(tmp_path, inbox)
    write_init_environment(tmp_path, inbox)
    add_first_revision(tmp_path, inbox)
    return tmp_path


def test_x_comes_before_the_environment_and_that_before_the_ini(project: Path) -> None:
    ini = project / "alembic.ini"
    example = "# sqlalchemy.url = driver://user@host/database"
    assert example in ini.read_text()
    ini.write_text(ini.read_text().replace(example, "sqlalchemy.url = sqlite:///ini.db?timeout=%%31"))
    environment = {"DATABASE_URL": "sqlite:///env.db?timeout=%31"}

    alembic(project, "-x url=sqlite:///x.db?timeout=%31 upgrade head", env=environment)
    assert {path.name for path in project.glob("*.db")} == {"x.db"}
    alembic(project, "upgrade head", env=environment)
    assert {path.name for path in project.glob("*.db")} == {"x.db", "env.db"}
    alembic(project, "upgrade head")
    assert {path.name for path in project.glob("*.db")} == {"x.db", "env.db", "ini.db"}


def test_a_percent_sign_in_the_password(project: Path, postgresql_url: URL) -> None:
    role = f"inboxgen_{postgresql_url.database}"
    engine = create_engine(postgresql_url.set(drivername="postgresql+psycopg"))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE ROLE {role} LOGIN SUPERUSER PASSWORD 'a%b/c@d'"))
    url = postgresql_url.set(drivername="postgresql+psycopg", username=role, password="a%b/c@d")
    try:
        ran = alembic(project, "upgrade head", env={"DATABASE_URL": url.render_as_string(hide_password=False)})
        assert ran.status == 0, ran.stderr
        assert "a%25b" in url.render_as_string(hide_password=False)
    finally:
        with engine.begin() as connection:
            connection.execute(text(f"DROP OWNED BY {role} CASCADE"))
            connection.execute(text(f"DROP ROLE {role}"))
        engine.dispose()


@pytest.mark.parametrize("command", ["upgrade head", "upgrade head --sql"])
def test_no_url_is_said_in_one_line(project: Path, command: str) -> None:
    ran = alembic(project, command)
    assert ran.status == 255
    assert "no database: give `alembic -x url=...`, set DATABASE_URL" in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_url_that_cannot_be_parsed_is_not_shown(project: Path) -> None:
    ran = alembic(project, "upgrade head", env={"DATABASE_URL": "me:secret@host"})
    assert ran.status == 255
    assert "driver://user@host/database" in ran.stdout + ran.stderr
    assert "secret" not in ran.stdout + ran.stderr
