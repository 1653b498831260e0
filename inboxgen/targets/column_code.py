"""Column types as the source text of the generated models: one expression per column, with variants per dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy.types import TypeEngine

from inboxgen.dialects import mariadb, mysql
from inboxgen.model import FAMILY, Dialect, Inbox, KeyType, Kind
from inboxgen.render import python_literal
from inboxgen.schema import DIALECTS


@dataclass(slots=True)
class Imports:
    """What the expressions rendered so far need to have imported."""

    dialects: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)


def key_expression(inbox: Inbox, key: KeyType, imports: Imports) -> str:
    """The type of a part of the dedup key, as one expression for all of the inbox's dialects."""
    choices = {dialect: DIALECTS[dialect].key_type(key) for dialect in DIALECTS if dialect in inbox.dialects}
    return _expression(choices, imports, key)


def plain_expression(inbox: Inbox, what: str, imports: Imports) -> str:
    """The type of `identity` or `instant`, as one expression for all of the inbox's dialects."""
    choices = {dialect: getattr(DIALECTS[dialect], what)() for dialect in DIALECTS if dialect in inbox.dialects}
    return _expression(choices, imports, None)


def _expression(choices: dict[Dialect, TypeEngine[Any]], imports: Imports, key: KeyType | None) -> str:
    groups: dict[str, list[Dialect]] = {}
    for dialect, type_ in choices.items():
        code = _family_code(key) if key and dialect in FAMILY else ""
        groups.setdefault(code or _code(type_), []).append(dialect)
    first, *others = groups
    parts = [first]
    for code in others:
        dialects = _url_names(groups[code])
        parts.append(f".with_variant({code}, {', '.join(map(python_literal, dialects))})")
    for dialect, type_ in choices.items():
        _record(imports, type_, _family_code(key) if key and dialect in FAMILY else "")
    return "".join(parts)


def _url_names(dialects: list[Dialect]) -> list[str]:
    """A MariaDB server is reached by mysql:// URLs too, and then goes by that name."""
    names = [str(dialect) for dialect in dialects]
    return ["mysql", "mariadb"] if "mariadb" in names and "mysql" not in names else names


def _family_code(key: KeyType) -> str:
    """The column types of ours that MySQL and MariaDB need; empty where SQLAlchemy's will do."""
    if key.kind is Kind.UUID:
        return "BinaryUuid()"
    if key.kind in (Kind.STRING, Kind.ASCII):
        on_mysql, on_mariadb = (room.key_type(key) for room in (mysql, mariadb))
        arguments = (on_mysql.charset, on_mysql.collation, on_mariadb.collation)
        return f"BinaryText({key.length}, {', '.join(map(python_literal, arguments))})"
    return ""


def _code(type_: TypeEngine[Any]) -> str:
    text = repr(type_).replace("length=", "")
    module = type(type_).__module__
    if not module.startswith("sqlalchemy.dialects."):
        return f"sa.{text}"
    # Some of the dialects' types have no typed constructor, and need none where there is no argument.
    return f"{module.split('.')[2]}.{text.removesuffix('()')}"


def _record(imports: Imports, type_: TypeEngine[Any], family_code: str) -> None:
    if family_code:
        imports.own.add(family_code.partition("(")[0])
    elif (module := type(type_).__module__).startswith("sqlalchemy.dialects."):
        imports.dialects.add(module.split(".")[2])
