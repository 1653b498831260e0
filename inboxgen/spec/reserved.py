"""Names that are taken, and so cannot be a consumer's, a message's or a field's."""

from __future__ import annotations

import builtins

DEVICES = {"aux", "con", "nul", "prn", *(f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10))}
"""Windows has no file of these names, whatever its extension."""

MODULES = {
    "classifier", "column_types", "conftest", "consumers", "errors", "guards", "handlers", "inbox", "init", "key",
    "main", "messages", "models", "operations", "outcomes", "runtime", "statements",
}  # fmt: skip
"""What the generated package holds itself, or may come to hold."""

CLASSES = {
    *dir(builtins), "Any", "AsyncSession", "AtomicityError", "Awaitable", "Base", "Callable", "Connection", "Consumer",
    "Decimal", "Engine", "Enum", "Fault", "Guard", "Handled", "Inbox", "Insert", "Iterator", "KafkaCoordinates",
    "Mapping", "Marker", "MessageKey", "NamedTuple", "Outcome", "Path", "RefusedWithoutMarker", "Session", "TypeVar",
    "UUID", "Verdict", "annotations", "async_sessionmaker", "cast", "classify", "consume", "dataclass", "date",
    "datetime", "handle", "is_marked", "sessionmaker", "uuid",
}  # fmt: skip
"""Names that the generated modules use beside the messages' classes."""

TYPES = {"Any", "Decimal", "UUID", "bool", "bytes", "int", "str"}
"""A field of such a name would stand for the type in the annotations of the fields after it."""

KEY_FIELDS = {*TYPES, "Mapped", "datetime", "mapped_column", "metadata", "registry"}
"""The same in the model of a marker, with what SQLAlchemy's declarative classes have already."""
