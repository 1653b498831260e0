"""A user's repository with an Alembic environment and our first revision in it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path, PurePosixPath

from alembic import command
from alembic.config import Config
from sqlalchemy import URL

from inboxgen.model import (
    Api,
    Dialect,
    Inbox,
    KeyColumn,
    KeyType,
    Kind,
    Migrations,
    Naming,
    Retention,
    Table,
    Uniqueness,
)
from inboxgen.revisions import AlembicEnvironment, find_environment
from inboxgen.schema import create_statements, drop_statements
from inboxgen.targets.alembic import init_files, revision_file, revision_name

ORDER = "Migrate first: the generated code needs the table. There is no old replica yet."
FIRST = "a1b2c3d4e5f6"

MODELS = """
from datetime import datetime
from sqlalchemy import BigInteger, DateTime, Index, Integer, PrimaryKeyConstraint, String
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MOMENT = DateTime(timezone=True).with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")

class Base(DeclarativeBase):
    pass

class Marker(Base):
    __tablename__ = "inbox"
    __table_args__ = (
        PrimaryKeyConstraint("id", name="pk_inbox"),
        Index("uq_inbox_message_id_consumer", "message_id", "consumer", unique=True),
    )
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"))
    message_id: Mapped[str] = mapped_column(String(100))
    consumer: Mapped[str] = mapped_column(String(200))
    received_at: Mapped[datetime] = mapped_column(MOMENT)
    processed_at: Mapped[datetime | None] = mapped_column(MOMENT)
"""


@dataclass(frozen=True)
class Ran:
    """What a process of Alembic left."""

    status: int
    stdout: str
    stderr: str


def make_inbox(**changes: object) -> Inbox:
    """A small inbox on all five dialects."""
    inbox = Inbox(
        name="orders",
        spec_path="orders.yaml",
        dialects=tuple(Dialect),
        drivers=(),
        uniqueness=Uniqueness.INDEX,
        naming=Naming.SNAKE_CASE,
        api=Api.SYNC,
        key=(KeyColumn("message_id", "message_id", KeyType(Kind.STRING, 100)),),
        consumer_type=KeyType(Kind.STRING, 200),
        table=Table(
            "inbox", "id", "consumer", "received_at", "processed_at", "pk_inbox", "uq_inbox_message_id_consumer"
        ),
        consumers=(),
        messages=(),
        package=PurePosixPath("src/orders_inbox"),
        python=(3, 11),
        migrations=Migrations(),
        retention=Retention(timedelta(days=70), ""),
    )
    return replace(inbox, **changes)  # type: ignore[arg-type]


def first_revision(inbox: Inbox, *, parent: str | None = None, branch: str = "") -> str:
    """The revision that creates `inbox`."""
    return revision_file(
        inbox,
        revision=FIRST,
        parent=parent,
        slug="create_inbox",
        up={dialect: create_statements(inbox, dialect) for dialect in inbox.dialects},
        down={dialect: drop_statements(inbox, dialect) for dialect in inbox.dialects},
        order=ORDER,
        branch=branch,
        drops_inbox=inbox.dialects,
    )


def write(root: Path, files: Mapping[str, str]) -> None:
    """Write `files`, making their folders."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def write_package(root: Path, inbox: Inbox) -> None:
    """The generated package, as far as Alembic needs it."""
    write(root, {f"{inbox.package}/__init__.py": "", f"{inbox.package}/models.py": MODELS})


def write_init_environment(root: Path, inbox: Inbox) -> None:
    """What `--init-alembic` writes."""
    write(root, {file.path: file.text for file in init_files(inbox)})


def write_stock_environment(root: Path, template: str, url: URL) -> None:
    """What `alembic init` writes, with a user's usual edits: the URL and the metadata."""
    config = Config(str(root / "alembic.ini"), stdout=io.StringIO())
    if "pyproject" in template:
        config.toml_file_name = str(root / "pyproject.toml")
    command.init(config, str(root / "migrations"), template=template)
    ini, env = root / "alembic.ini", root / "migrations/env.py"
    given = url.render_as_string(hide_password=False).replace("%", "%%")
    ini.write_text(ini.read_text().replace("driver://user:pass@localhost/dbname", given))
    text = env.read_text()
    assert "target_metadata = None" in text
    text = text.replace(
        "target_metadata = None", "from orders_inbox.models import Base\ntarget_metadata = Base.metadata"
    )
    compared = "target_metadata=target_metadata, compare_type=True, compare_server_default=True"
    env.write_text(text.replace("target_metadata=target_metadata", compared))


def add_first_revision(root: Path, inbox: Inbox) -> AlembicEnvironment:
    """Put our first revision where the environment says, as `inboxgen new` does."""
    environment = find_environment(root, inbox.migrations)
    assert environment is not None
    parent = environment.first_parent()
    folder = environment.folder_after(parent)
    text = first_revision(inbox, parent=parent)
    write(root, {f"{folder}/{revision_name(inbox, FIRST, 'create_inbox')}": text})
    return environment


def alembic(root: Path, *commands: str, env: Mapping[str, str] | None = None, before: str = "") -> Ran:
    """Run `commands` (each one command line of `alembic`) in one process in `root`, until one fails."""
    script = f"{before}\nfrom alembic.config import main\n" + "\n".join(f"main({line.split()!r})" for line in commands)
    return run_python(root, script, env=env)


def run_python(root: Path, script: str, arguments: Sequence[str] = (), env: Mapping[str, str] | None = None) -> Ran:
    """Run `script` in a process of its own, in `root`."""
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    search = os.pathsep.join((str(root), str(root / "src"), os.environ.get("PYTHONPATH", "")))
    paths = {"PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=root,
        env={**inherited, **paths, **(env or {})},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
