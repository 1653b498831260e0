"""The classifier recognises the statements that the generated runtime really sends, and no others."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import exc
from sqlalchemy.dialects import mssql, mysql, postgresql, sqlite

from inboxgen.dialects.drivers import DRIVERS
from inboxgen.targets.package import package_files
from tests.classifier import shapes
from tests.classifier.rendered import make_inbox, write

DIALECTS: dict[str, Any] = {
    "postgresql": postgresql.dialect(),
    "sqlite": sqlite.dialect(),
    "mssql": mssql.dialect(),
    "mysql": mysql.dialect(),
    "mariadb": mysql.dialect(),
}
INBOXES = {
    "plain": make_inbox(drivers=DRIVERS),
    "schema": make_inbox(drivers=DRIVERS, schema="messaging"),
    "tenants": make_inbox(drivers=DRIVERS, per_tenant=True),
    "odd": make_inbox(drivers=DRIVERS, table='in "b`o]x', dedup_key="odd"),
}


@pytest.mark.parametrize("name", INBOXES)
def test_claim_and_find(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = f"sent_{name}"
    files = {file.path.partition("/")[2]: file.text for file in package_files(INBOXES[name])}
    write(tmp_path / package, files)
    monkeypatch.syspath_prepend(str(tmp_path))
    statements = importlib.import_module(f"{package}.statements")
    classifier = importlib.import_module(f"{package}.classifier")
    tenants = {"schema_translate_map": {None: "tenant_a"}} if name == "tenants" else {}
    for dialect in statements.CLAIM:
        for statement in (statements.CLAIM[dialect], statements.FIND[dialect]):
            compiled = statement.compile(dialect=DIALECTS[dialect], **tenants, render_schema_translate=bool(tenants))
            error = exc.DBAPIError(str(compiled), {}, shapes.sqlite3(1))
            assert classifier.diagnose(error).name == "UNAVAILABLE", str(compiled)
    for module in [module for module in sys.modules if module.startswith(package)]:
        del sys.modules[module]
