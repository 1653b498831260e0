"""One delivery after another, by the old code and by the new one, while a change is not settled yet."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import URL

from tests.alembic.projects import run_python
from tests.changes.cases import CASES
from tests.changes.repositories import Repository, count
from tests.changes.test_upgrade import DRIVERS, up

DELIVER = """
import sys, uuid
from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker
from orders_inbox import MessageKey
from orders_inbox.runtime import consume
engine = create_engine(sys.argv[1])
for argument in sys.argv[2:]:
    values = dict(part.split("=") for part in argument.split(","))
    if "tenant" in values and values["tenant"].startswith("#"):
        values["tenant"] = uuid.UUID(int=int(values["tenant"][1:]))
    try:
        key = MessageKey(**values)
        print(consume(sessionmaker(engine), "credit", key, None, lambda session, message: None).outcome.name)
    except Exception as error:
        print(type(error).__name__)
"""


@dataclass(frozen=True)
class Replicas:
    """The code of one spec, with a database that the other's code shares."""

    root: Path
    url: URL

    def deliver(self, *messages: str) -> list[str]:
        """What becomes of each delivery, by the name of the outcome or of the error."""
        ran = run_python(self.root, DELIVER, [self.url.render_as_string(hide_password=False), *messages])
        assert ran.status == 0, ran.stderr
        return ran.stdout.split()


@pytest.fixture(params=DRIVERS)
def url(request: pytest.FixtureRequest) -> URL:
    found: URL = request.getfixturevalue(f"{request.param}_url")
    return found.set(drivername=DRIVERS[request.param])


def expanded(name: str, url: URL, folder: Path) -> tuple[Repository, Replicas, Replicas]:
    """The second spec, migrated, with the code of the first beside it."""
    case = CASES[name]
    roots = [folder / "old", folder / "new"]
    for root in roots:
        root.mkdir()
        Repository(root).begin(case)
    up(Repository(roots[0]), url, "upgrade head")
    new = Repository(roots[1])
    new.change(case)
    up(new, url, "upgrade head")
    return new, Replicas(roots[0], url), Replicas(roots[1], url)


def test_a_column_more_in_the_key(tmp_path: Path, url: URL) -> None:
    repository, old, new = expanded("add_key_column", url, tmp_path)
    assert old.deliver("message_id=a", "message_id=b", "message_id=a") == ["PROCESSED", "PROCESSED", "DUPLICATE"]
    # The old key governs: another message for it is raised; one that the backfill stands for is a duplicate.
    deliveries = ("message_id=a,tenant=main", "message_id=b,tenant=x", "message_id=c,tenant=x", "message_id=c,tenant=y")
    assert new.deliver(*deliveries) == ["DUPLICATE", "RefusedWithoutMarker", "PROCESSED", "RefusedWithoutMarker"]
    assert old.deliver("message_id=c") == ["DUPLICATE"]
    assert repository.new(CASES["add_key_column"].specs[1], "--settled").code == 0
    up(repository, url, "-x settle_inbox=inbox upgrade head", "check")
    assert new.deliver("message_id=c,tenant=x", "message_id=c,tenant=y") == ["DUPLICATE", "PROCESSED"]
    assert old.deliver("message_id=d")[0].endswith("Error")
    assert count(url, "inbox") == 4


def test_a_column_less_in_the_key(tmp_path: Path, url: URL) -> None:
    repository, old, new = expanded("remove_key_column", url, tmp_path)
    assert old.deliver("message_id=a,tenant=#1", "message_id=a,tenant=#2") == ["PROCESSED", "RefusedWithoutMarker"]
    assert new.deliver("message_id=a", "message_id=b", "message_id=b") == ["DUPLICATE", "PROCESSED", "DUPLICATE"]
    assert old.deliver("message_id=b,tenant=#1") == ["RefusedWithoutMarker"]
    assert repository.new(CASES["remove_key_column"].specs[1], "--settled").code == 0
    up(repository, url, "upgrade head", "check")
    assert new.deliver("message_id=b", "message_id=c") == ["DUPLICATE", "PROCESSED"]
    assert count(url, "inbox") == 3


def test_a_table_of_another_name(tmp_path: Path, url: URL) -> None:
    repository, old, new = expanded("rename_table", url, tmp_path)
    assert new.deliver("message_id=a", "message_id=a") == ["PROCESSED", "DUPLICATE"]
    # On SQLite there is no view that takes an INSERT.
    seen = ["OperationalError"] * 2 if url.get_backend_name() == "sqlite" else ["DUPLICATE", "PROCESSED"]
    assert old.deliver("message_id=a", "message_id=b") == seen
    assert repository.new(CASES["rename_table"].specs[1], "--settled").code == 0
    up(repository, url, "upgrade head", "check")
    assert old.deliver("message_id=c")[0].endswith("Error")
    assert new.deliver("message_id=a") == ["DUPLICATE"]
