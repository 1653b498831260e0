"""The claim counts 1 for a new message; 0, or a violation of our key, for one that is marked: on every driver."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
import sqlalchemy

from tests.conftest import missing
from tests.generated import ROOT, environment, generated
from tests.guards.claim_counts import DRIVERS, MODULES, expected, measured
from tests.guards.delivery import Counter

SPEC = """
inbox: orders
dialects: [postgresql, sqlite, mysql, mariadb]
consumers: [credit]
"""


# aiomysql 0.3 cannot send bytes where PyMySQL is 1.2 or newer, and a UUID is sent as bytes.
WITHOUT_BYTES = "aiomysql"


def package(driver: str) -> ModuleType:
    spec = SPEC + ("api: async\n" if DRIVERS[driver][2] else "")
    return generated(spec + ("key: {message_id: string(100)}\n" if driver == WITHOUT_BYTES else ""))


def arguments(driver: str, spoilt_on: Callable[..., Counter]) -> tuple[str, str, bool]:
    on, drivername, awaited = DRIVERS[driver]
    pytest.importorskip(MODULES.get(driver, driver))
    engine = spoilt_on(on, package(driver)).engine
    url = engine.url.set(drivername=drivername).render_as_string(hide_password=False)
    return url, package(driver).__name__, awaited


@pytest.mark.parametrize("driver", DRIVERS)
def test_claim_counts(driver: str, spoilt_on: Callable[..., Counter]) -> None:
    assert measured(*arguments(driver, spoilt_on)) == expected(DRIVERS[driver][0])


def other_sqlalchemy(config: pytest.Config) -> Path:
    """A folder with SQLAlchemy 2.0: INBOXGEN_TEST_SQLALCHEMY20, or one that pip fills and later runs find again."""
    if given := os.environ.get("INBOXGEN_TEST_SQLALCHEMY20"):
        return Path(given)
    assert config.cache
    folder = config.cache.mkdir("sqlalchemy-2.0")
    if not (folder / "sqlalchemy" / "__init__.py").exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        done = subprocess.run([*pip, "sqlalchemy>=2.0.40,<2.1"], capture_output=True, text=True)
        if done.returncode:
            missing(f"no SQLAlchemy 2.0: {done.stderr.strip()}")
    return folder


@pytest.mark.skipif(sqlalchemy.__version__.startswith("2.0."), reason="is what the other tests run on")
def test_claim_counts_on_sqlalchemy_20(pytestconfig: pytest.Config, spoilt_on: Callable[..., Counter]) -> None:
    folder = other_sqlalchemy(pytestconfig)
    installed = [name for name in DRIVERS if find_spec(MODULES.get(name, name).split(".")[0])]
    if len(installed) < len(DRIVERS) and os.environ.get("INBOXGEN_TEST_REQUIRE_ALL") == "1":
        missing(f"not installed: {sorted(set(DRIVERS) - set(installed))}")
    asked = {name: arguments(name, spoilt_on) for name in installed}
    done = subprocess.run(
        [sys.executable, "-m", "tests.guards.claim_counts"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(folder),
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["sqlalchemy"].startswith("2.0.")
    assert answer["counts"] == {name: expected(DRIVERS[name][0]) for name in installed}
