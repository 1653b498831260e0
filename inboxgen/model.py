"""The inbox that a spec describes: plain frozen data that every target reads and nothing changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import PurePosixPath


class Dialect(StrEnum):
    """A database; the value is SQLAlchemy's dialect name."""

    POSTGRESQL = "postgresql"
    MSSQL = "mssql"
    SQLITE = "sqlite"
    MYSQL = "mysql"
    MARIADB = "mariadb"


# Two servers with one protocol: a mysql:// URL may lead to either.
FAMILY = (Dialect.MYSQL, Dialect.MARIADB)


class Uniqueness(StrEnum):
    """How the dedup key is kept unique."""

    INDEX = "unique-index"
    CONSTRAINT = "alternate-key"


class Naming(StrEnum):
    """How names that the spec leaves open are formed."""

    SNAKE_CASE = "snake-case"
    EF_CORE = "ef-core"


class Api(StrEnum):
    """Whether the generated runtime is called or awaited."""

    SYNC = "sync"
    ASYNC = "async"


class Kind(StrEnum):
    """The type of a key column."""

    UUID = "uuid"
    STRING = "string"
    ASCII = "ascii"
    BYTES = "bytes"
    BIGINT = "bigint"
    DIGEST = "digest"


@dataclass(frozen=True, slots=True)
class KeyType:
    """A key column's type; `length` counts characters of string and ascii, bytes of bytes, and is 0 elsewhere."""

    kind: Kind
    length: int = 0

    def __str__(self) -> str:
        return f"{self.kind}({self.length})" if self.length else str(self.kind)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One column of the message's identity: `field` in Python, `column` in the database.

    `default` is what the spec itself knows of it: the epoch of a topic or stream. `was` is its former field, and
    `backfill` what markers from before it have in it.
    """

    field: str
    column: str
    type: KeyType
    default: str = ""
    was: str = ""
    backfill: str = ""


@dataclass(frozen=True, slots=True)
class MessageField:
    """A field of a message; `kind` is one of uuid string text int bigint decimal bool date datetime bytes json."""

    name: str
    kind: str
    optional: bool = False
    arguments: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """A message type that consumers handle; `name` is its Python class."""

    name: str
    fields: tuple[MessageField, ...]


@dataclass(frozen=True, slots=True)
class Consumer:
    """One consumer: `name` as the spec writes it, `identifier` in Python, `stored_name` in the marker."""

    name: str
    identifier: str
    stored_name: str
    handles: Message | None = None
    fast_path: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The inbox table as the database knows it: every name is given, none is left to a naming convention.

    `schema` is None where the connection's own schema is meant; `per_tenant` says that this schema is chosen per
    tenant, by search path or by SQLAlchemy's `schema_translate_map={None: ...}`. `own_name` is set while the table is
    put aside: the name that the spec gives it, and that a view of its former columns has meanwhile.
    """

    name: str
    id: str
    consumer: str
    received_at: str
    processed_at: str
    primary_key: str
    dedup_key: str
    schema: str | None = None
    per_tenant: bool = False
    was: str = ""
    own_name: str = ""


@dataclass(frozen=True, slots=True)
class Fallback:
    """The coordinates that stand in for a missing producer's id: `kafka:<epoch>/<topic>/<partition>/<offset>`."""

    broker: str
    epoch: str = "1"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long a marker must be kept, and the arithmetic that says why, for the generated header."""

    window: timedelta
    arithmetic: str


@dataclass(frozen=True, slots=True)
class Migrations:
    """Where Alembic's revisions go; `ini` is a path relative to the spec's folder, empty: to be found."""

    enabled: bool = True
    ini: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class DedupKey:
    """A unique key of the table: its name, how it is kept unique, and its columns in index order."""

    name: str
    uniqueness: Uniqueness
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leftover:
    """What a change has left of the schema before it, for the replicas that still run the old code.

    `key` is the dedup key that they know; `held` says whether the database still has it. `defaults` are key columns
    that only the new or only the old code writes: the database fills in their `backfill`.
    """

    key: DedupKey
    held: bool = False
    defaults: tuple[KeyColumn, ...] = ()


@dataclass(frozen=True, slots=True)
class Inbox:
    """Everything that the generator knows, after every default is filled in and every rule has passed.

    `drivers` are SQLAlchemy driver names (psycopg, pysqlite is spelt sqlite3); `package` is relative to the spec's
    folder; `python` is (major, minor) of the generated code; `spec_path` is the spec's file name.
    """

    name: str
    spec_path: str
    dialects: tuple[Dialect, ...]
    drivers: tuple[str, ...]
    uniqueness: Uniqueness
    naming: Naming
    api: Api
    key: tuple[KeyColumn, ...]
    consumer_type: KeyType
    table: Table
    consumers: tuple[Consumer, ...]
    messages: tuple[Message, ...]
    package: PurePosixPath
    python: tuple[int, int]
    migrations: Migrations
    fallback: Fallback | None = None
    retention: Retention | None = None
    leftover: Leftover | None = None

    @property
    def dedup_columns(self) -> tuple[str, ...]:
        """The database's columns of the dedup key, in index order; the consumer is always last."""
        return (*(column.column for column in self.key), self.table.consumer)

    @property
    def dedup(self) -> DedupKey:
        """The key that makes a message one message."""
        return DedupKey(self.table.dedup_key, self.uniqueness, self.dedup_columns)

    @property
    def known_keys(self) -> tuple[DedupKey, ...]:
        """The keys whose violation says that the message is a duplicate: ours, and one before it that is as wide.

        What a narrower one refuses may be another message.
        """
        before = self.leftover.key if self.leftover else None
        if before and before != self.dedup and set(before.columns) >= set(self.dedup_columns):
            return (self.dedup, before)
        return (self.dedup,)

    @property
    def unused_columns(self) -> tuple[KeyColumn, ...]:
        """Columns of a former key that only old replicas write; they are still NOT NULL, with a default."""
        present = {column.column for column in self.key}
        left = self.leftover.defaults if self.leftover else ()
        return tuple(column for column in left if column.column not in present)

    @property
    def module(self) -> str:
        """The package's import name."""
        return self.package.name


class FileKind(StrEnum):
    """Who a generated file belongs to, and so what a second run may do with it."""

    DERIVED = "derived"  # ours: rendered again by every run
    FROZEN = "frozen"  # ours: written once, then history
    YOURS = "yours"  # the user's from the moment it is written


@dataclass(frozen=True, slots=True)
class RenderedFile:
    """A file as it should be: `path` is POSIX and relative to the spec's folder, `text` has LF line ends."""

    path: str
    text: str
    kind: FileKind
