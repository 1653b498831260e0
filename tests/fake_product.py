"""A small product in place of the real one, for tests of what is done with files: spec text in, rendered files out.

A spec is `key: value` lines: `columns`, `consumers`, `package`, `migrations`. Another `columns` is another revision.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from inboxgen import neighbours, spec, targets
from inboxgen.findings import Finding, Place, SpecError
from inboxgen.lock import NOTHING_EARLIER, Earlier, Lock
from inboxgen.model import (
    Api,
    Consumer,
    Dialect,
    FileKind,
    Inbox,
    KeyType,
    Kind,
    Migrations,
    Naming,
    RenderedFile,
    Table,
    Uniqueness,
)
from inboxgen.revisions import AlembicEnvironment, new_environment

SPEC = "columns: id\nconsumers: credit email\n"
INI = "[alembic]\nscript_location = migrations\n"


@dataclass(frozen=True)
class FakeTree:
    files: tuple[RenderedFile, ...]
    spec: tuple[str, ...]
    head: str
    parent: str
    unsettled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    earlier: Earlier = NOTHING_EARLIER
    absent: tuple[str, ...] = ()


real_load = spec.load


def use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the small product in the place of spec and targets."""
    monkeypatch.setattr(spec, "load", load)
    monkeypatch.setattr(spec, "normal_form", normal_form)
    monkeypatch.setattr(spec, "from_normal_form", from_normal_form)
    monkeypatch.setattr(neighbours, "normal_form", normal_form)
    monkeypatch.setattr(neighbours, "from_normal_form", from_normal_form)
    monkeypatch.setattr(targets, "render_tree", render_tree)


def load(path: Path) -> Inbox:
    if not path.is_file():
        return real_load(path)
    facts = dict(line.split(": ", 1) for line in path.read_text().splitlines() if line and line[0] != "#")
    return _inbox(path, facts)


def _inbox(path: Path, facts: Mapping[str, str]) -> Inbox:
    if "oops" in facts:
        raise SpecError([Finding(Place(path.name, 1, 1), "E201", "unknown key `oops`", source="oops: 1")])
    named = [each.partition("=") for each in facts["consumers"].split()]  # name=stored
    consumers = tuple(Consumer(name, name, stored or name) for name, _, stored in named)
    return Inbox(
        name=facts["columns"],  # carried along: the small product has one inbox
        spec_path=path.name,
        dialects=(Dialect.SQLITE,),
        drivers=(),
        uniqueness=Uniqueness.INDEX,
        naming=Naming.SNAKE_CASE,
        api=Api.SYNC,
        key=(),
        consumer_type=KeyType(Kind.STRING, 200),
        table=Table("inbox", "id", "consumer", "received_at", "processed_at", "pk", "uq"),
        consumers=consumers,
        messages=(),
        package=PurePosixPath(facts.get("package", "orders_inbox")),
        python=(3, 11),
        migrations=Migrations(enabled=facts.get("migrations") != "none"),
    )


def normal_form(inbox: Inbox) -> tuple[str, ...]:
    names = " ".join(f"{each.name}={each.stored_name}" for each in inbox.consumers)
    return (f"columns {inbox.name}", f"consumers {names}", f"package {inbox.package}", f"table.name={inbox.package}")


def from_normal_form(lines: Sequence[str]) -> Inbox:
    return _inbox(Path("orders.yaml"), dict(line.split(" ", 1) for line in lines if " " in line))


def render_tree(
    inbox: Inbox,
    lock: Lock | None,
    environment: AlembicEnvironment | None,
    *,
    init_alembic: bool,
    after: str = "",
    settled: bool = False,
) -> FakeTree:
    names = " ".join(each.name for each in inbox.consumers)
    golden = f"golden/{inbox.package.name.removesuffix('_inbox')}/sqlite"
    files = [
        RenderedFile(f"{inbox.package}/__init__.py", f"CONSUMERS = {names.split()}\n", FileKind.DERIVED),
        RenderedFile(f"{inbox.package}/models.py", f"COLUMNS = {inbox.name!r}\n", FileKind.DERIVED),
        RenderedFile(f"{golden}/schema.sql", f"-- {inbox.name}\n", FileKind.DERIVED),
    ]
    files += [
        RenderedFile(f"{inbox.package}/handlers/{each.name}.py", "raise NotImplementedError\n", FileKind.YOURS)
        for each in inbox.consumers
    ]
    if init_alembic and environment is None:
        files.append(RenderedFile("alembic.ini", INI, FileKind.YOURS))
        files.append(RenderedFile("migrations/env.py", "run()\n", FileKind.YOURS))
    head, parent = (lock.head if lock else ""), ""
    if lock is None or f"columns {inbox.name}" not in lock.spec:
        environment = environment or new_environment("alembic.ini", "migrations")
        parent = environment.head_after(head) if head else environment.first_parent(after=after) or ""
        head = hashlib.sha256(f"{parent} {normal_form(inbox)}".encode()).hexdigest()[:12]
        number = len([each for each in (lock.entries if lock else ()) if each.path.endswith(".up.sql")]) + 1
        files.append(RenderedFile(f"{golden}/{number:04}_{head}.up.sql", inbox.name + "\n", FileKind.FROZEN))
        if inbox.migrations.enabled:
            text = f'revision = "{head}"\ndown_revision = {parent or None!r}\n'
            path = f"{environment.version_folders[0]}/{head}_orders_create.py"
            files.append(RenderedFile(path, text, FileKind.FROZEN))
    return FakeTree(tuple(files), normal_form(inbox), head, parent)


def rewrite(path: Path, **facts: str) -> None:
    """Change the spec's lines."""
    known = dict(line.split(": ", 1) for line in path.read_text().splitlines())
    path.write_text("".join(f"{key}: {value}\n" for key, value in (known | facts).items()))
