"""Templates to text: jinja fills in, black lays out what is Python."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import black
from black.mode import TargetVersion
from jinja2 import BaseLoader, Environment, FileSystemLoader, PackageLoader, StrictUndefined

from inboxgen.model import Inbox

LINE_LENGTH = 88


def render(template: str, *, inbox: Inbox, **context: object) -> str:
    """The text of `template`, a path below templates/; one that ends in `.py.j2` is laid out for `inbox.python`.

    Raises jinja2.UndefinedError for a name that the context lacks, black.InvalidInput for what is not Python.
    """
    text = _environment().get_template(template).render(inbox=inbox, **context)
    return format_python(text, inbox.python) if template.endswith(".py.j2") else text


@lru_cache(maxsize=1024)  # texts; the specs of one run have most of their modules in common
def format_python(text: str, python: tuple[int, int]) -> str:
    """`text` as black leaves it, with every option given: a user's pyproject.toml has no say."""
    return black.format_str(text, mode=_mode(python))


@cache
def _mode(python: tuple[int, int]) -> black.Mode:
    major, minor = python
    known = {int(version.name.removeprefix("PY3")) for version in TargetVersion if version.name.startswith("PY3")}
    # A Python that this black does not know yet is laid out like the newest one that it does.
    target = TargetVersion[f"PY{major}{min(minor, max(known))}"]
    return black.Mode(target_versions={target}, line_length=LINE_LENGTH)


@cache
def _environment() -> Environment:
    # Autoescape is HTML's; these templates make Python, SQL and ini files.
    environment = Environment(
        loader=_loader(),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["py"] = python_literal
    environment.filters["py_block"] = python_block
    environment.filters["py_doc"] = python_docstring
    return environment


def _loader() -> BaseLoader:
    try:
        return PackageLoader("inboxgen", "templates")
    except ValueError:  # a checkout: the wheel is what puts the templates inside the package
        return FileSystemLoader(Path(__file__).parent.parent / "templates")


def python_literal(value: object) -> str:
    """The Python literal of a str, bytes, bool, int or None, or of a tuple or list of them; raises TypeError."""
    match value:
        case str():
            return _quoted(str(value))
        case bool() | bytes() | int() | None:
            return repr(value)
        case tuple():
            items = ", ".join(map(python_literal, value))
            return f"({items},)" if len(value) == 1 else f"({items})"
        case list():
            return f"[{', '.join(map(python_literal, value))}]"
        case _:
            raise TypeError(f"no literal for {value!r}")


def python_block(text: str) -> str:
    """A literal of `text` that keeps its lines as lines: triple-quoted where there are several of them."""
    if "\n" not in text:
        return _quoted(text)
    if not all(line.isprintable() for line in text.split("\n")):
        return _quoted(text)
    escaped = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{escaped[:-1]}\\""""' if escaped.endswith('"') else f'"""{escaped}"""'


def python_docstring(text: str) -> str:
    """`text` made safe inside triple double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"""', "'''")
    return "".join(char if char == "\n" or char.isprintable() else repr(char)[1:-1] for char in escaped)


def _quoted(text: str) -> str:
    """repr() with black's preference for double quotes."""
    literal = repr(text)
    if literal[0] == '"' or '"' in literal:
        return literal
    return '"' + literal[1:-1] + '"'
