"""What a revision sends and prints: its own text and nothing else, for the server that is really there."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import black
import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import URL, Connection, create_engine, inspect, text
from sqlalchemy.engine import Dialect as SQLAlchemyDialect

from inboxgen.model import Api, Dialect, Inbox
from inboxgen.render import LINE_LENGTH
from inboxgen.schema import create_statements, drop_statements
from inboxgen.targets.alembic import init_files, revision_file, revision_id
from tests.alembic.projects import (
    FIRST,
    ORDER,
    alembic,
    first_revision,
    make_inbox,
    write_init_environment,
    write_package,
)


def load(source: str) -> ModuleType:
    module = ModuleType("revision")
    exec(compile(source, "revision.py", "exec"), module.__dict__)
    return module


def revision_of(statements: Mapping[Dialect, list[str]]) -> ModuleType:
    inbox = make_inbox(dialects=tuple(statements))
    up = {dialect: tuple(items) for dialect, items in statements.items()}
    return load(revision_file(inbox, revision=FIRST, parent=None, slug="x", up=up, down=up, order=ORDER))


def offline(module: ModuleType, dialect: str, direction: str = "upgrade", paramstyle: str = "named") -> str:
    buffer = io.StringIO()
    dialect_class: Callable[..., SQLAlchemyDialect] = URL.create(dialect).get_dialect()
    context = MigrationContext.configure(
        dialect=dialect_class(paramstyle=paramstyle),
        opts={"as_sql": True, "output_buffer": buffer},
    )
    with Operations.context(context):
        getattr(module, direction)()
    return buffer.getvalue()


def online(module: ModuleType, connection: Connection) -> None:
    with Operations.context(MigrationContext.configure(connection)):
        module.upgrade()


@pytest.fixture
def connection(engine_url: URL) -> Iterator[Connection]:
    engine = create_engine(engine_url)
    with engine.connect() as opened:
        yield opened
    engine.dispose()


@pytest.mark.parametrize("paramstyle", ["named", "pyformat"])
@pytest.mark.parametrize("dialect", Dialect)
def test_offline_prints_the_statements_as_they_are(dialect: Dialect, paramstyle: str) -> None:
    inbox = make_inbox()
    module = load(first_revision(inbox))
    batch_end = "GO\n\n" if dialect is Dialect.MSSQL else ""

    printed = offline(module, dialect, paramstyle=paramstyle)
    undone = offline(module, dialect, "downgrade", paramstyle=paramstyle)

    assert printed == "".join(f"{statement};\n\n{batch_end}" for statement in create_statements(inbox, dialect))
    assert undone == "-- Not while inbox holds a marker younger than 70 days.\n\n" + "".join(
        f"{statement};\n\n{batch_end}" for statement in drop_statements(inbox, dialect)
    )


@pytest.mark.parametrize("dialect", Dialect)
def test_alembic_prints_the_same_between_its_own_lines(tmp_path: Path, dialect: Dialect) -> None:
    inbox = make_inbox()
    write_package(tmp_path, inbox)
    write_init_environment(tmp_path, inbox)
    (tmp_path / "migrations/versions").mkdir()
    (tmp_path / "migrations/versions/ours.py").write_text(first_revision(inbox))

    ran = alembic(tmp_path, f"-x url={dialect}:// upgrade head --sql")

    assert ran.status == 0, ran.stderr
    assert offline(load(first_revision(inbox)), dialect) in ran.stdout


def test_colons_and_percent_signs_arrive_untouched(connection: Connection) -> None:
    value = r"50%, %s, %(a, %%, 10:30:00, :name, ::type, \:x, {brace}, ${dollar}"
    server = "mariadb" if getattr(connection.dialect, "is_mariadb", False) else connection.dialect.name
    literal = value.replace("\\", "\\\\") if server == "mariadb" else value
    module = revision_of({Dialect(server): ["CREATE TABLE t (v VARCHAR(200))", f"INSERT INTO t VALUES ('{literal}')"]})

    online(module, connection)

    assert connection.scalar(text("SELECT v FROM t")) == value
    assert literal in offline(module, server, paramstyle="pyformat")


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_any_text_survives_the_template(statement: str) -> None:
    module = revision_of({Dialect.SQLITE: [statement]})
    assert tuple(module.UPGRADE.items()) == (("sqlite", (statement,)),)
    # SQLAlchemy's own reading of the text gives it back, and finds no parameter in it.
    compiled = module._text(statement).compile(dialect=URL.create("sqlite").get_dialect()())
    assert (str(compiled), compiled.params) == (statement, {})


def test_a_mysql_url_that_leads_to_mariadb_gets_mariadbs_sql(mariadb_url: URL) -> None:
    module = revision_of({Dialect.MYSQL: ["CREATE TABLE wrong (a INT)"], Dialect.MARIADB: ["CREATE TABLE t (a INT)"]})
    engine = create_engine(mariadb_url.set(drivername="mysql+pymysql"))
    with engine.connect() as connection:
        online(module, connection)
        assert inspect(connection).get_table_names() == ["t"]
    engine.dispose()


def test_nothing_runs_on_a_server_that_the_spec_does_not_have(
    connection: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    there = {Dialect.MARIADB, Dialect(connection.dialect.name)}
    others = {dialect: ["CREATE TABLE t (a INT)"] for dialect in Dialect if dialect not in there}
    module = revision_of(others)
    caplog.set_level("WARNING")

    online(module, connection)

    assert inspect(connection).get_table_names() == []
    assert f"revision {FIRST} has no SQL for" in caplog.text
    assert offline(module, "mariadb") == ""


def generated(inbox: Inbox) -> dict[str, str]:
    files = {file.path: file.text for file in init_files(inbox) if file.path.endswith(".py")}
    return {**files, "migrations/versions/ours.py": first_revision(inbox)}


@pytest.mark.parametrize("api", Api)
@pytest.mark.parametrize("schema", [None, "messaging"])
@pytest.mark.parametrize("dialects", [tuple(Dialect), (Dialect.POSTGRESQL,)])
def test_black_leaves_it_alone(api: Api, schema: str | None, dialects: tuple[Dialect, ...]) -> None:
    mode = black.Mode(line_length=LINE_LENGTH)
    for path, source in generated(in_schema(make_inbox(api=api, dialects=dialects), schema)).items():
        assert black.format_str(source, mode=mode) == source, path


def in_schema(inbox: Inbox, schema: str | None) -> Inbox:
    return replace(inbox, table=replace(inbox.table, schema=schema))


@pytest.mark.parametrize("api", Api)
def test_mypy_and_ruff_have_nothing_to_say(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, api: Api) -> None:
    inbox = in_schema(make_inbox(api=api), "messaging")
    write_package(tmp_path, inbox)
    sources = generated(inbox)
    for path, source in sources.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(source)
    ruff = ["ruff", "check", "--isolated", "--select=E,F,I,UP,B,SIM,RUF,C4,PIE,RET", "--ignore=E501"]
    for tool in (["mypy", "--strict"], ruff):
        pytest.importorskip(tool[0])
        done = subprocess.run(
            [sys.executable, "-m", *tool, *sources],
            cwd=tmp_path,
            env={"MYPYPATH": str(tmp_path / "src"), "MYPY_CACHE_DIR": str(tmp_path_factory.getbasetemp() / "mypy")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_docstring_is_safe_and_wrapped() -> None:
    order = 'Migrate first: """quotes""" and \\d and ' + "many words " * 30 + "\n\nThen the code."
    inbox = make_inbox(name='or"ders')
    module = load(revision_file(inbox, revision=FIRST, parent="0000", slug="create_inbox", up={}, down={}, order=order))
    assert module.__doc__ is not None
    assert module.__doc__.startswith('or"ders: create inbox\n\nMigrate first: ')
    assert "\\d and many words" in module.__doc__
    assert module.__doc__.rstrip().endswith("Then the code.\n\nRevision ID: a1b2c3d4e5f6\nRevises: 0000")
    assert max(map(len, module.__doc__.splitlines())) <= LINE_LENGTH
    assert (module.revision, module.down_revision, module.branch_labels) == (FIRST, "0000", None)


def test_the_id_depends_on_the_spec_and_the_parent_alone() -> None:
    first = revision_id(["a", "b"], None)
    assert first == revision_id(["a", "b"], "") == "6e18b662b03d"
    assert len({first, revision_id(["a", "b"], "p"), revision_id(["ab"], None), revision_id(["b", "a"], None)}) == 4
