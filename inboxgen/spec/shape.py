"""The format of a spec: which keys there are and what each may hold. The published JSON Schema is made from this."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, Tag
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from inboxgen.dialects.drivers import DRIVERS
from inboxgen.model import Api, Dialect, Naming, Uniqueness
from inboxgen.spec import formats

PRESETS = ("message-id", "cloudevents", "kafka")
BROKERS = ("rabbitmq", "kafka", "sqs", "azure-service-bus", "nats", "redis", "none")

# Tags end up in pydantic's error paths; NUL cannot stand in a spec, so they are never taken for a key.
TEXT, LIST, MAP = "\0text", "\0list", "\0map"


class Choice:
    """Annotates a text that must be one of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = tuple(str(word) for word in words)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "enum": list(self.words)}

    def _check(self, value: str) -> str:
        if value not in self.words:
            raise PydanticCustomError("choice", "not one of the choices", {"words": self.words})
        return value


class Unique:
    """Annotates a list that names nothing twice; the loader says so with the place of the second one (E303)."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), "uniqueItems": True}


def _kind(value: Any) -> str | None:
    kinds: dict[type, str] = {str: TEXT, list: LIST, dict: MAP}
    return kinds.get(type(value))


def _either(expected: str) -> Discriminator:
    return Discriminator(_kind, custom_error_type="neither", custom_error_message=expected)


Text = Annotated[str, Field(min_length=1)]
Duration = Annotated[str, Field(pattern=formats.DURATION.pattern)]
KeyTypeText = Annotated[str, Field(pattern=formats.KEY_TYPE.pattern)]
FieldName = Annotated[str, Field(pattern=formats.NAME.pattern)]
FieldTypeText = Annotated[str, Field(pattern=formats.FIELD_TYPE.pattern)]
MessageName = Annotated[str, Field(pattern=formats.NAME.pattern)]
ConsumerName = Annotated[str, Field(pattern=formats.CONSUMER.pattern)]


class Part(BaseModel):
    """A map with a fixed set of keys."""

    # A validator is built when it is first used: most specs are sound and need no other than that of Spec.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True, defer_build=True)


class KeyColumn(Part):
    """A key column that was changed: its type, its former name, and what its old rows are given."""

    type: KeyTypeText
    was: Text | None = None
    backfill: Text | None = None


KeyColumnForm = Annotated[
    Annotated[KeyTypeText, Tag(TEXT)] | Annotated[KeyColumn, Tag(MAP)], _either("a type, or a map with type")
]


class Table(Part):
    """The inbox table; the schema `per-tenant` means that each connection brings its own."""

    name: Text | None = None
    schema_: Text | None = Field(default=None, alias="schema")
    was: Text | None = None


class Migrations(Part):
    """Where Alembic is: its ini file and the branch label that our revisions carry."""

    alembic: Text | None = None
    branch: Annotated[str, Field(pattern=formats.NAME.pattern)] | None = None


class IgnoreOlder(Part):
    """Messages that carry the whole state of an entity may be skipped when a newer one was applied."""

    entity: FieldName
    version: FieldName
    carries: Annotated[str, Choice("state")]


class Consumer(Part):
    """What one consumer handles and how."""

    handles: MessageName | None = None
    stored_as: Text | None = None
    """The name that the table holds, where it is not the consumer's own; it never changes."""
    fast_path: bool = False
    """Look the marker up beforehand; pays where most deliveries are duplicates."""
    effect: Annotated[str, Choice("transaction", "external", "natural")] | None = None
    lease: Duration | None = None
    on_unknown: Annotated[str, Choice("retry", "park", "fail")] | None = None
    idempotency_window: Duration | None = None
    ignore_older: IgnoreOlder | None = None
    fingerprint: Annotated[list[FieldName], Field(min_length=1), Unique()] | None = None
    result: MessageName | None = None


class Broker(Part):
    """What the broker may do with a message; durations as its own settings have them."""

    kind: Annotated[str, Choice(*BROKERS)]
    lock_duration: Duration | None = None
    """Lock or visibility timeout; where the broker has no lock its consumer timeout, poll interval or ack wait."""
    max_deliveries: Annotated[int, Field(ge=1, le=10_000)] | None = None
    time_to_live: Duration | None = None
    """How long a message may wait; for Kafka the topic's retention."""
    dead_letter_replay: Duration | None = None
    """How long after its first delivery a message may still be sent back from the dead-letter queue."""
    publisher_retry: Duration | None = None
    """How late a producer's outbox may still send the same message again."""
    margin: Duration | None = None
    epoch: Annotated[str, Field(pattern=formats.EPOCH.pattern)] | None = None
    """Part of keys made of offsets; give another one when a topic or stream is made anew."""
    compacted: bool = False
    """A Kafka topic that keeps the last message of each key for ever."""


class Mssql(Part):
    """Options for SQL Server."""

    online: bool = False


Consumers = Annotated[
    Annotated[list[ConsumerName], Field(min_length=1), Unique(), Tag(LIST)]
    | Annotated[dict[ConsumerName, Consumer], Field(min_length=1), Tag(MAP)],
    _either("a list of names, or a map from names to options"),
]
Dialects = Annotated[list[Annotated[str, Choice(*Dialect)]], Field(min_length=1), Unique()]
Drivers = Annotated[list[Annotated[str, Choice(*DRIVERS)]], Field(min_length=1), Unique()]
Key = Annotated[
    Annotated[str, Choice(*PRESETS), Tag(TEXT)]
    | Annotated[dict[FieldName, KeyColumnForm], Field(min_length=1), Tag(MAP)],
    _either("a map from columns to types, or message-id, cloudevents or kafka"),
]
TableForm = Annotated[
    Annotated[Text, Tag(TEXT)] | Annotated[Table, Tag(MAP)], _either("a name, or a map with name and schema")
]
MigrationsForm = Annotated[
    Annotated[str, Choice("none"), Tag(TEXT)] | Annotated[Migrations, Tag(MAP)],
    _either("none, or a map with alembic and branch"),
]


class Spec(Part):
    """One inbox: a table of markers, the consumers that share it and what is generated for them."""

    inbox: Annotated[str, Field(pattern=formats.INBOX.pattern)]
    """Names the package, the revisions and the folder of golden files."""
    dialects: Dialects
    """The databases that SQL, migrations and code are made for."""
    consumers: Consumers
    """Who handles messages: each of them handles one message once."""
    drivers: Drivers | None = None
    """All that fit the dialects and the api, unless named."""
    uniqueness: Annotated[str, Choice(*Uniqueness)] = Uniqueness.INDEX
    """How the dedup key is kept unique; alternate-key is a UNIQUE constraint."""
    key: Key | None = None
    """The message's identity, in index order: uuid message_id unless given. The consumer is always added last."""
    fallback: Annotated[str, Choice("kafka")] | None = None
    """What stands in the key's one string when the producer gave no id: Kafka's coordinates."""
    table: TableForm | None = None
    """The table's name, or a map with its schema."""
    names: dict[str, Text] = Field(default_factory=dict)
    """Names of our own for columns and keys, for a table that exists."""
    naming: Annotated[str, Choice(*Naming)] = Naming.SNAKE_CASE
    """How the names that are left open are formed; ef-core shares a table with .NET."""
    api: Annotated[str, Choice(*Api)] = Api.SYNC
    """Whether the generated runtime is called or awaited."""
    package: Text | None = None
    """Where the generated package goes, relative to the spec: <inbox>_inbox unless given."""
    python: Annotated[str, Field(pattern=formats.PYTHON.pattern)] = "3.11"
    """The oldest Python that the generated code runs on, in quotes."""
    migrations: MigrationsForm | None = None
    """The Alembic environment, found unless given; none makes SQL files alone."""
    messages: dict[MessageName, dict[FieldName, FieldTypeText]] = Field(default_factory=dict)
    """Message types and their fields; each field's type may end in ? for one that can be missing."""
    broker: Broker | None = None
    """What the retention is derived from."""
    retention: Duration | None = None
    """How long a marker is kept: only longer than what the broker's settings add up to."""
    dead_letters: bool = False
    """Keep messages that failed for good in a table."""
    mssql: Mssql | None = None
    """Options for SQL Server alone."""


class SoundSpec(Spec):
    """What is left of a spec after its unsound parts were reported and taken out."""

    inbox: str = ""
    dialects: Dialects = Field(default_factory=list)
    consumers: Consumers = Field(default_factory=dict)
