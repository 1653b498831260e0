"""The generated package: one template per module, each given what the spec asks for and nothing more."""

from __future__ import annotations

from typing import Any

from inboxgen.dialects.drivers import NEEDS_SAVEPOINT
from inboxgen.dialects.titles import TITLES
from inboxgen.handlers import UNTYPED
from inboxgen.model import FAMILY, Api, Consumer, Dialect, FileKind, Inbox, Kind, RenderedFile, Uniqueness
from inboxgen.render import render
from inboxgen.schema import DIALECTS, column_defaults, dedup_keys
from inboxgen.targets.column_code import Imports, key_expression, plain_expression
from inboxgen.targets.guard_code import guard_context

KEY_ANNOTATIONS = {
    Kind.UUID: "UUID",
    Kind.STRING: "str",
    Kind.ASCII: "str",
    Kind.BYTES: "bytes",
    Kind.BIGINT: "int",
    Kind.DIGEST: "str",
}
STORED_ANNOTATIONS = KEY_ANNOTATIONS | {Kind.DIGEST: "bytes"}
FIELD_ANNOTATIONS = {
    "uuid": "UUID",
    "string": "str",
    "text": "str",
    "int": "int",
    "bigint": "int",
    "decimal": "Decimal",
    "bool": "bool",
    "date": "date",
    "datetime": "datetime",
    "bytes": "bytes",
    "json": "object",
}


def package_files(inbox: Inbox) -> tuple[RenderedFile, ...]:
    """Every file of the package, the handlers' skeletons among them."""
    context = shared_context(inbox)
    modules: dict[str, dict[str, Any]] = {
        "__init__": {},
        "models": _models(inbox),
        "statements": {},
        "key": _key(inbox),
        "classifier": {},
        "errors/__init__": {},
        "guards": guard_context(inbox),
        "runtime": {"savepoints": not NEEDS_SAVEPOINT.isdisjoint(inbox.drivers)},
        "consumers": _consumers(inbox),
        "handlers/__init__": {},
    }
    modules |= {f"errors/{name}": {} for name in _error_modules(inbox)}
    if inbox.messages:
        modules["messages"] = _messages(inbox)
    if own := modules["models"]["column_types"]:
        modules["column_types"] = _column_types(own)
    files = [
        RenderedFile(
            f"{inbox.package}/{module}.py",
            render(f"package/{module}.py.j2", **context | extra),
            FileKind.DERIVED,
        )
        for module, extra in modules.items()
    ]
    for consumer in inbox.consumers:
        text = render(
            "package/handlers/handler.py.j2",
            **context,
            consumer=consumer,
            payload=_payload(consumer),
        )
        files.append(RenderedFile(f"{inbox.package}/handlers/{consumer.identifier}.py", text, FileKind.YOURS))
    return tuple(files)


def _payload(consumer: Consumer) -> str:
    return consumer.handles.name if consumer.handles else UNTYPED


def shared_context(inbox: Inbox) -> dict[str, Any]:
    """What every template of the package may use."""
    is_async = inbox.api is Api.ASYNC
    # A MariaDB server goes by the name "mysql" behind a mysql:// URL, so the family is emitted as a whole.
    family = ("mysql", "mariadb") if set(FAMILY) & set(inbox.dialects) else ()
    others = [str(dialect) for dialect in DIALECTS if dialect in inbox.dialects and dialect not in FAMILY]
    return {
        "inbox": inbox,
        "table": inbox.table,
        "dialects": {str(dialect) for dialect in inbox.dialects},
        "drivers": set(inbox.drivers),
        "family": family,
        "dialect_names": (*others, *family),
        "servers": " and ".join(TITLES[d] for d in FAMILY if d in inbox.dialects),
        "is_async": is_async,
        "async_": "async " if is_async else "",
        "await_": "await " if is_async else "",
        "session": "AsyncSession" if is_async else "Session",
        "connection": "AsyncConnection" if is_async else "Connection",
        "factory": "async_sessionmaker[AsyncSession]" if is_async else "sessionmaker[Session]",
        "generics": inbox.python >= (3, 12),
        "kinds": {str(column.type.kind) for column in inbox.key},
        "clocks": {str(dialect): room.CLOCK for dialect, room in DIALECTS.items()},
        "upserts": [name for name in ("postgresql", "sqlite") if name in others],
        "table_key": f"{inbox.table.schema}.{inbox.table.name}" if inbox.table.schema else inbox.table.name,
        "golden": f"golden/{inbox.name}/",
        "exports": _exports(inbox),
        "consume_names": sorted(f"consume_{consumer.identifier}" for consumer in inbox.consumers),
    }


def _error_modules(inbox: Inbox) -> list[str]:
    return sorted({"mysql" if dialect in FAMILY else str(dialect) for dialect in inbox.dialects})


def _exports(inbox: Inbox) -> list[str]:
    names = {"AtomicityError", "Handled", "Marker", "MessageKey", "Outcome", "RefusedWithoutMarker", "Verdict"}
    names |= {"classify"} | {message.name for message in inbox.messages}
    names |= {f"consume_{consumer.identifier}" for consumer in inbox.consumers}
    if inbox.fallback:
        names.add("KafkaCoordinates")
    return sorted(names, key=lambda name: (not name.isupper(), name[0].islower(), name))


def _models(inbox: Inbox) -> dict[str, Any]:
    imports = Imports()
    table = inbox.table
    columns = [("id", table.id, "int", plain_expression(inbox, "identity", imports))]
    columns += [
        (column.field, column.column, STORED_ANNOTATIONS[column.type.kind], key_expression(inbox, column.type, imports))
        for column in (*inbox.key, *inbox.unused_columns)
    ]
    instant = "INSTANT"
    constants = {instant: plain_expression(inbox, "instant", imports)}
    columns += [
        ("consumer", table.consumer, "str", key_expression(inbox, inbox.consumer_type, imports)),
        ("received_at", table.received_at, "datetime", instant),
        ("processed_at", table.processed_at, "datetime | None", instant),
    ]
    keys = dedup_keys(inbox)
    defaults = _neutral_defaults(inbox)
    options = ['"quote": True']
    if table.schema:
        options += [f'"schema": {table.schema!r}', '"quote_schema": True']
    if Dialect.SQLITE in inbox.dialects:
        options.append('"sqlite_autoincrement": True')
    if set(FAMILY) & set(inbox.dialects):
        options += ['"mysql_engine": "InnoDB"', '"mariadb_engine": "InnoDB"']
    return {
        "columns": [
            {"field": field, "name": name, "annotation": annotation, "type": type_, "default": defaults.get(name)}
            for field, name, annotation, type_ in columns
        ],
        "kinds": {str(column.type.kind) for column in (*inbox.key, *inbox.unused_columns)},
        "dialect_imports": sorted(imports.dialects),
        "column_types": sorted(imports.own),
        "constants": constants,
        "keys": keys,
        "index": Uniqueness.INDEX,
        "table_options": options,
    }


def _neutral_defaults(inbox: Inbox) -> dict[str, str]:
    """Defaults of the database that read the same in all of the inbox's dialects, by column."""
    found: dict[str, set[str]] = {}
    for dialect in inbox.dialects:
        for name, clause in column_defaults(inbox, dialect).items():
            found.setdefault(name, set()).add(
                clause.text.removeprefix("N") if dialect is Dialect.MSSQL else clause.text
            )
    return {name: texts.pop() for name, texts in found.items() if len(texts) == 1}


def _import_order(name: str) -> tuple[bool, str]:
    """Constants first, then classes: the order that isort keeps within one import."""
    return not name.isupper(), name


def _column_types(own: list[str]) -> dict[str, Any]:
    uuid, text = "BinaryUuid" in own, "BinaryText" in own
    names = {"TypeDecorator"} | ({"BINARY"} if uuid else set()) | ({"String"} if text else set())
    return {"uuid": uuid, "text": text, "imports": sorted(names, key=_import_order)}


def _key(inbox: Inbox) -> dict[str, Any]:
    kinds = {column.type.kind for column in inbox.key}
    fallback = next((column.field for column in inbox.key if column.type.kind is Kind.STRING), None)
    if Dialect.MSSQL in inbox.dialects and kinds & {Kind.STRING, Kind.ASCII}:
        trailing_blanks = "SQL Server"
    elif Dialect.MYSQL in inbox.dialects and Kind.ASCII in kinds:
        trailing_blanks = "MySQL"
    else:
        trailing_blanks = ""
    return {
        "annotations": {column.field: KEY_ANNOTATIONS[column.type.kind] for column in inbox.key},
        "bounded_text": bool(kinds & {Kind.STRING, Kind.ASCII}),
        "trailing_blanks": trailing_blanks,
        "defaults": {column.field: column.default for column in inbox.key if column.default},
        "fallback_field": fallback if inbox.fallback else None,
    }


def _messages(inbox: Inbox) -> dict[str, Any]:
    fields = [field for message in inbox.messages for field in message.fields]
    kinds, names = {field.kind for field in fields}, {field.name for field in fields}
    # In a class, a field hides the type that it is called like from the fields below it.
    alias = {name: f"{name}_" for name in ("date", "datetime") if name in names}
    imports = ["from dataclasses import dataclass"]
    if times := sorted({"date", "datetime"} & kinds):
        parts = (f"{name} as {alias[name]}" if name in alias else name for name in times)
        imports.append(f"from datetime import {', '.join(parts)}")
    if "decimal" in kinds:
        imports.append("from decimal import Decimal")
    if "uuid" in kinds:
        imports.append("from uuid import UUID")
    return {"imports": imports, "annotations": FIELD_ANNOTATIONS | alias}


def _consumers(inbox: Inbox) -> dict[str, Any]:
    return {
        "untyped": any(consumer.handles is None for consumer in inbox.consumers),
        "handled": sorted({consumer.handles.name for consumer in inbox.consumers if consumer.handles}),
        "fast": any(consumer.fast_path for consumer in inbox.consumers),
        "payloads": {consumer.name: _payload(consumer) for consumer in inbox.consumers},
    }
