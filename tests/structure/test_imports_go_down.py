"""The house stays in order: imports go down only, no module grows past a page's reach, and no template lies idle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import inboxgen

PACKAGE = Path(inboxgen.__file__).parent
TEMPLATES = PACKAGE.parent / "templates"
MOST_LINES = 300

# From the top down; modules of one floor may use each other, and every floor all those below it.
FLOORS = (
    ("__main__", "cli"),
    ("report", "apply", "talk", "diff"),
    ("plan", "decisions", "lint", "verify", "adopt", "explain"),
    ("tree", "revisions", "lock", "targets", "refusals", "neighbours", "amend", "fresh", "generator"),
    ("changes", "statements", "schema", "sqlread", "live", "render"),
    ("spec",),
    ("dialects",),
    ("model", "names", "handlers"),
    ("findings",),
    ("__init__",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


def room(module: Path) -> str:
    return module.relative_to(PACKAGE).with_suffix("").parts[0]


def imported_rooms(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{name_of(module)} imports relatively"
            # `from inboxgen import spec` imports a room, `from inboxgen.spec import load` names it already.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "inboxgen" and rest:
                found = rest.partition(".")[0]
                yield found if found in FLOOR else "__init__"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_imports_go_down(module: Path) -> None:
    above = {other for other in imported_rooms(module) if FLOOR[other] < FLOOR[room(module)]}
    assert not above, f"{name_of(module)} stands on {sorted(above)}"


def test_every_room_has_its_floor() -> None:
    assert {room(module) for module in MODULES} <= FLOOR.keys()


def test_only_the_command_line_reads_its_arguments_or_leaves() -> None:
    for module in MODULES:
        if room(module) not in ("cli", "__main__"):
            text = module.read_text(encoding="utf-8")
            assert "sys.argv" not in text and "sys.exit" not in text and "print(" not in text, name_of(module)


def test_sqlglot_has_one_user() -> None:
    users = {room(module) for module in MODULES if "sqlglot" in module.read_text(encoding="utf-8").split("\n\n\n")[0]}
    assert users <= {"sqlread"}


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_is_too_long(module: Path) -> None:
    assert len(module.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_every_template_is_used() -> None:
    """By its whole name, or by its name in the package, which the package's target completes."""
    code = "\n".join(module.read_text(encoding="utf-8") for module in MODULES)
    templates = [path for path in TEMPLATES.rglob("*") if path.is_file()]
    assert templates
    for path in templates:
        name = path.relative_to(TEMPLATES).as_posix()
        stem = name.removeprefix("package/").removesuffix(".py.j2")
        parts = stem.rpartition("/")
        known = (name, f'"{stem}"', f'"{parts[0]}/{{' if parts[0] else f'"{stem}"')
        assert any(text in code for text in known), f"{name} is rendered nowhere"
