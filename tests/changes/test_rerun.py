"""A migration that fails at any of its statements is finished by running it again, in both directions."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import URL, Engine, create_engine, inspect
from sqlalchemy.exc import DBAPIError

from inboxgen.schema import create_statements
from tests.changes.cases import CASES
from tests.changes.repositories import Repository, fill
from tests.changes.test_upgrade import DRIVERS, prepare

PAIRS = [
    (name, engine) for name, case in CASES.items() if case.revision and name != "add_dialect" for engine in case.engines
]
FAILURE = "SELECT nothing FROM no_such_table"


def revision(path: Path) -> ModuleType:
    module = ModuleType("revision")
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    # Nobody gives an `-x` here, and there is no environment to ask.
    module.__dict__["context"] = SimpleNamespace(get_x_argument=lambda as_dictionary: {})
    return module


def run(module: ModuleType, direction: str, engine: Engine) -> None:
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        # As Alembic's run_migrations does, where DDL is taken for what commits by itself.
        alone = not context.impl.transactional_ddl
        with context.begin_transaction(_per_migration=alone), Operations.context(context):
            getattr(module, direction)()


def shape(engine: Engine) -> object:
    found = inspect(engine)
    tables = sorted(name for name in found.get_table_names() if name != "alembic_version")
    columns = {name: sorted(map(repr, found.get_columns(name))) for name in tables}
    indexes = {name: sorted(map(repr, found.get_indexes(name))) for name in tables}
    return columns, indexes, sorted(found.get_view_names())


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_it_goes_on_after_a_failure_anywhere(
    name: str, kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    case = CASES[name]
    url: URL = request.getfixturevalue(f"{kind}_url").set(drivername=DRIVERS[kind])
    root = tmp_path / "repository"
    root.mkdir()
    repository = Repository(root)
    repository.begin(case)
    prepare(case, url)
    engine = create_engine(url)
    old = repository.inbox()
    with engine.begin() as connection:
        for statement in create_statements(old, kind) if kind in old.dialects else ():  # type: ignore[arg-type]
            connection.exec_driver_sql(statement)
    if kind in old.dialects:
        fill(url, old, 20)
    known = set(root.glob("migrations/versions/*.py"))
    repository.change(case)
    for arguments in ((), *[("--settled",)] * case.settled):
        repository.new(case.specs[1], *arguments)
        (path,) = set(root.glob("migrations/versions/*.py")) - known
        known.add(path)
        fail_everywhere(revision(path), kind, engine)
    engine.dispose()


def fail_everywhere(module: ModuleType, kind: str, engine: Engine) -> None:
    before = shape(engine)
    run(module, "upgrade", engine)
    after = shape(engine)
    run(module, "downgrade", engine)
    assert shape(engine) == before
    for direction, wanted, back in (("upgrade", after, "downgrade"), ("downgrade", before, "")):
        statements: dict[str, tuple[str, ...]] = getattr(module, direction.upper())
        whole = statements[kind]
        for number in range(len(whole) + 1 if kind != "sqlite" else 1):
            if direction == "downgrade":
                run(module, "upgrade", engine)
            statements[kind] = (*whole[:number], FAILURE)
            with pytest.raises(DBAPIError):
                run(module, direction, engine)
            statements[kind] = whole
            run(module, direction, engine)
            assert shape(engine) == wanted, (direction, number)
            if back:
                run(module, back, engine)
    run(module, "upgrade", engine)
