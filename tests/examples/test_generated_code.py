"""The generated code of every example, held to what a strict team asks of its own code."""

from __future__ import annotations

import ast
import difflib
import io
import json
import os
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.trees import EXAMPLES, RUNNABLE, SPECS, generate, inbox, text_files, tree, trees_folder

RULES = "E4,E7,E9,F,I,UP,B,SIM,RUF"
MOST_LINES = 400
LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
MOST_LINES_OF_A_CONSUMER = 15


def source_folder(example: str) -> Path:
    return tree(example) / inbox(example).package.parent


def check(*command: str | Path, cwd: Path, **environment: str) -> None:
    done = subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=cwd,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def paths(places: Iterable[Path]) -> str:
    return os.pathsep.join(map(str, places))


def test_mypy_strict(tmp_path: Path) -> None:
    sources = [source_folder(example) / inbox(example).module for example in RUNNABLE]
    for number, script in enumerate({file.read_text() for file in migrations(RUNNABLE)}):
        (tmp_path / f"migration_{number}.py").write_text(script)  # they all have the same module names
    kits = [file for example in RUNNABLE for file in (tree(example) / "tests").glob("*.py")]
    pytest.importorskip("mypy")
    check(
        *("-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", *sources, *kits, *tmp_path.glob("*.py")),
        cwd=tmp_path,
        MYPYPATH=paths(map(source_folder, RUNNABLE)),
    )


def migrations(examples: Iterable[str]) -> list[Path]:
    return [file for example in examples for file in (tree(example) / "migrations").rglob("*.py")]


def test_basedpyright_strict(tmp_path: Path) -> None:
    pytest.importorskip("basedpyright")
    config = {
        "typeCheckingMode": "strict",
        "include": [str(tree(example)) for example in EXAMPLES],
        "extraPaths": [str(source_folder(example)) for example in EXAMPLES],
        "pythonVersion": "3.13",
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    check("-m", "basedpyright", "--project", tmp_path, "--pythonpath", sys.executable, cwd=tmp_path)


def test_ruff() -> None:
    pytest.importorskip("ruff")
    by_version = defaultdict(list)
    for example in EXAMPLES:
        by_version[inbox(example).python].append(example)
    for (major, minor), examples in by_version.items():
        own = f"src = {json.dumps([str(source_folder(example)) for example in examples])}"
        options = ("--isolated", "--no-cache", "--select", RULES, "--target-version", f"py{major}{minor}")
        check("-m", "ruff", "check", *options, "--config", own, *map(tree, examples), cwd=trees_folder())


def test_black_leaves_it_as_it_is() -> None:
    check("-m", "black", "--check", "--quiet", *map(tree, EXAMPLES), cwd=trees_folder())


def test_every_module_imports_without_a_warning() -> None:
    names = [
        ".".join((inbox(example).module, *file.relative_to(source_folder(example)).with_suffix("").parts[1:]))
        for example in RUNNABLE
        for file in (source_folder(example) / inbox(example).module).rglob("*.py")
    ]
    code = f"import importlib\nfor name in {names!r}: importlib.import_module(name.removesuffix('.__init__'))"
    check("-W", "error", "-c", code, cwd=trees_folder(), PYTHONPATH=paths(map(source_folder, RUNNABLE)))


@pytest.mark.parametrize("example", RUNNABLE)
def test_it_does_not_need_inboxgen(example: str) -> None:
    for path, text in text_files(tree(example)).items():
        if path.endswith(".py"):
            assert "inboxgen" not in set(imported(ast.parse(text))), path


def imported(module: ast.Module) -> Iterable[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition(".")[0]


def test_the_smallest_package_is_short() -> None:
    """At most 400 lines of code in all of the package; blank lines, comments and docstrings are not counted."""
    package = source_folder("smallest") / inbox("smallest").module
    count = sum(code_lines(file.read_text(encoding="utf-8")) for file in package.rglob("*.py"))
    print(f"smallest package: {count} lines of code")
    assert 200 < count <= MOST_LINES


def code_lines(source: str) -> int:
    """The lines that hold code."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    strings = [node.body[0] for node in ast.walk(ast.parse(source)) if isinstance(node, documented) and node.body]
    docstrings = {
        line
        for node in strings
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    held = {line for token in tokens if token.type not in LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    return len(held - docstrings)


def test_one_more_consumer_changes_few_lines_outside_its_own_files(tmp_path: Path) -> None:
    spec = (SPECS / "orders.yaml").read_bytes()
    more = spec.replace(b"  erp-sync:", b"  shipping: {handles: OrderPlaced}\n  erp-sync:")
    assert more != spec
    generate(more, "orders.yaml", tmp_path)
    before, after = text_files(tree("orders")), text_files(tmp_path)
    changed = []
    for path in before.keys() & after.keys() - {"orders.yaml", "orders.lock"}:
        lines = difflib.unified_diff(before[path].splitlines(), after[path].splitlines(), n=0, lineterm="")
        changed += [line for line in lines if line[0] in "+-" and not line.startswith(("+++", "---"))]
    assert 0 < len(changed) <= MOST_LINES_OF_A_CONSUMER, "\n".join(changed)
