"""The handlers that the generated package calls: the signature that each has to have, and whether the user's has it.

By syntax alone: nothing of the user's is run. What cannot be told from the file (a decorator, an alias, a handler that
is imported) is left to a type checker.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

FOLDER = "handlers"
UNTYPED = "Mapping[str, object]"

# Names that a mapping goes by in an annotation.
_MAPPINGS = frozenset({"Mapping", "MutableMapping", "Dict", "dict"})


@dataclass(frozen=True, slots=True)
class Signature:
    """How a handler is called; `message` is a class of the package's messages, or the mapping of an untyped one."""

    is_async: bool
    message: str

    @property
    def session(self) -> str:
        """The class of its first argument."""
        return "AsyncSession" if self.is_async else "Session"

    def __str__(self) -> str:
        word = "async def" if self.is_async else "def"
        return f"{word} handle(session: {self.session}, message: {self.message}) -> None"


@dataclass(frozen=True, slots=True)
class Misfit:
    """A handler that cannot be called as it has to be: where, the line as it stands, and what it is."""

    line: int
    column: int
    source: str
    found: str


def is_handler(path: str) -> bool:
    """Whether a file of the user's is one that the generated package calls."""
    return PurePosixPath(path).parent.name == FOLDER


def signatures(normal_form: Iterable[str]) -> Mapping[str, Signature]:
    """The path of each handler → its signature, from the record's lines: no other part of the spec bears on it."""
    facts = dict(line.split("=", 1) for line in normal_form if line.startswith(("api=", "package=", "consumer.")))
    if "api" not in facts or "package" not in facts:
        return {}
    try:
        package, is_async = json.loads(facts.pop("package")), json.loads(facts.pop("api")) == "async"
        consumers = [json.loads(fact) for fact in facts.values()]
        return {
            f"{package}/{FOLDER}/{each['identifier']}.py": Signature(is_async, each.get("handles", UNTYPED))
            for each in consumers
        }
    except (ValueError, TypeError, LookupError, AttributeError):  # not our lines: said where the record is read
        return {}


def misfit(text: str, wanted: Signature) -> Misfit | None:
    """What is wrong with a handler's file; None if it fits, or cannot be told."""
    if f"\n{wanted}:" in text:
        return None
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # of a newer Python, or not written to its end
        return None
    lines = text.split("\n")
    binding = _binding(module)
    if binding is None:
        return Misfit(1, 1, lines[0], "nothing of that name")
    if not isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef) or binding.decorator_list:
        return None
    if _fits(binding, wanted, _imports(module)):
        return None
    return Misfit(binding.lineno, binding.col_offset + 1, lines[binding.lineno - 1], _shown(binding))


def _binding(module: ast.Module) -> ast.stmt | None:
    """The last statement of the module that may say what `handle` is."""
    for statement in reversed(module.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if statement.name == "handle":
                return statement
        elif isinstance(statement, ast.ImportFrom):
            if {alias.asname or alias.name for alias in statement.names} & {"handle", "*"}:
                return statement
        elif any(_binds(node) for node in ast.walk(statement)):
            return statement
    return None


def _binds(node: ast.AST) -> bool:
    if isinstance(node, ast.Name):
        return node.id == "handle" and isinstance(node.ctx, ast.Store)
    return "handle" in (getattr(node, "name", ""), getattr(node, "asname", ""))


def _shown(function: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    word = "async def" if isinstance(function, ast.AsyncFunctionDef) else "def"
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{word} handle({ast.unparse(function.args)}){returns}"


def _fits(function: ast.FunctionDef | ast.AsyncFunctionDef, wanted: Signature, imports: Mapping[str, str]) -> bool:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    required = len(positional) - len(arguments.defaults)
    takes_two = required <= 2 and (len(positional) >= 2 or arguments.vararg is not None)
    needs_more = any(default is None for default in arguments.kw_defaults)
    if not takes_two or needs_more or isinstance(function, ast.AsyncFunctionDef) is not wanted.is_async:
        return False
    named = [_class(each.annotation, imports) for each in positional[:2]]
    classes = (*named, "", "")
    return classes[0] in ("", wanted.session) and classes[1] in ("", wanted.message.partition("[")[0])


def _class(annotation: ast.expr | None, imports: Mapping[str, str]) -> str:
    """The class of ours, of SQLAlchemy's sessions, or the mapping that an annotation names; empty for any other."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return ""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    if isinstance(annotation, ast.Attribute) and isinstance(annotation.value, ast.Name):
        return annotation.attr if imports.get(annotation.value.id) == "messages" else ""
    if not isinstance(annotation, ast.Name):
        return ""
    name = imports.get(annotation.id, annotation.id if annotation.id in _MAPPINGS else "")
    return "Mapping" if name in _MAPPINGS else name


def _imports(module: ast.Module) -> Mapping[str, str]:
    """Names in the file → what they are called where they come from: our package, SQLAlchemy, or `collections.abc`."""
    found = {}
    for statement in module.body:
        if isinstance(statement, ast.ImportFrom):
            source = statement.module or ""
            ours = source.split(".")[-1] == "messages" or (statement.level and not source)
            known = {"Session", "AsyncSession"} if source.startswith("sqlalchemy") else _MAPPINGS
            for alias in statement.names:
                if ours or alias.name in known:
                    found[alias.asname or alias.name] = alias.name
    return found
