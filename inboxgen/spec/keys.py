"""The message's identity: which columns, how wide, and whether they stay the same when a message comes again."""

from __future__ import annotations

import re

from inboxgen.dialects.limits import MOST_COLUMNS, WIDEST_KEY, key_width, width
from inboxgen.dialects.literals import literal
from inboxgen.model import Dialect, Fallback, KeyType, Kind, Naming
from inboxgen.spec.report import Report
from inboxgen.spec.shape import Spec

CONSUMER_TYPE = KeyType(Kind.STRING, 200)

PRESETS = {
    "message-id": {"message_id": "uuid"},
    "cloudevents": {"source": "string(250)", "event_id": "string(200)"},
    "kafka": {"epoch": "ascii(40)", "topic": "ascii(249)", "partition": "bigint", "offset": "bigint"},
}

# A key of these lets the second delivery pass, or takes two messages for one.
_UNSTABLE = {
    "correlationid": "a correlation id is shared by all messages of one conversation, so the second one would be lost",
    "deliverytag": "a delivery tag is counted anew by each channel",
    "deliverycount": "the delivery count differs at each delivery",
    "redelivered": "it differs at each delivery",
    "attempt": "the attempt differs at each delivery",
    "attempts": "the attempt differs at each delivery",
    "retrycount": "the retry count differs at each delivery",
    "receivecount": "the receive count differs at each delivery",
    "receivedat": "the receive time differs at each delivery",
    "receivetime": "the receive time differs at each delivery",
    "enqueuedtime": "a message that is sent back from the dead-letter queue has another one",
    "locktoken": "the lock token differs at each delivery",
    "receipthandle": "the receipt handle differs at each delivery",
    "popreceipt": "the receipt differs at each delivery",
    "sqsmessageid": "a redrive from the dead-letter queue gives the message another SQS MessageId",
}

# What a position means nothing without: the broker counts it anew in each of these.
_POSITIONS = {
    "offset": ("epoch", "topic", "partition"),
    "streamsequence": ("epoch", "stream"),
}
_LOG = {"topic", "partition"}


def parse_type(text: str) -> KeyType:
    """`string(400)` as a KeyType; the text has passed formats.KEY_TYPE."""
    name, _, rest = text.partition("(")
    return KeyType(Kind(name), int(rest[:-1]) if rest else 0)


def columns(spec: Spec, report: Report) -> dict[str, KeyType]:
    """The key's columns as the spec names them, in index order, after every check of the key."""
    if spec.key is None and report.has("key"):
        return {}
    given = spec.key if spec.key is not None else "message-id"
    if isinstance(given, str):
        types = {name: parse_type(text) for name, text in PRESETS[given].items()}
    else:
        types = {name: parse_type(form if isinstance(form, str) else form.type) for name, form in given.items()}
    _refuse_unstable(spec, report, types)
    _refuse_wide(spec, report, types)
    _refuse_uuid_of_ef_core(spec, report, types)
    return types


def former_names(spec: Spec, report: Report) -> dict[str, str]:
    """What columns were called in the spec before, by their present name."""
    forms = {} if spec.key is None or isinstance(spec.key, str) else spec.key
    found = {name: form.was for name, form in forms.items() if not isinstance(form, str) and form.was}
    for name, was in found.items():
        if was in forms or list(found.values()).count(was) > 1:
            report.value(
                ("key", name, "was"),
                "E332",
                f"`{name}` cannot have been `{was}`",
                "it is the name of a column that the key has, or that two columns claim",
                "name the column that became this one; two columns are never swapped",
            )
    return found


def backfills(spec: Spec, report: Report, types: dict[str, KeyType]) -> dict[str, str]:
    """What markers from before a column have in it, as the spec writes it."""
    forms = {} if spec.key is None or isinstance(spec.key, str) else spec.key
    found = {name: form.backfill for name, form in forms.items() if not isinstance(form, str) and form.backfill}
    for name, value in found.items():
        if name in types and (wrong := _unfit(types[name], value)):
            report.value(
                ("key", name, "backfill"),
                "E330",
                f"`{value}` cannot be a value of {types[name]}",
                f"it {wrong}",
                "give a value that the column's messages have, or one that no message has",
            )
    return found


def _unfit(column: KeyType, value: str) -> str:
    try:
        literal(Dialect.POSTGRESQL, column, value)
    except ValueError:
        return f"is no {column}"
    if column.kind is Kind.BIGINT and not -(2**63) <= int(value) < 2**63:
        return "does not fit into 64 bits"
    if column.kind in (Kind.STRING, Kind.ASCII, Kind.BYTES):
        size = len(value.encode() if column.kind is Kind.BYTES else value)
        if size > column.length:
            return f"has {size} {'bytes' if column.kind is Kind.BYTES else 'characters'}"
        if column.kind is Kind.ASCII and not value.isascii():
            return "holds characters outside ASCII"
        if value != value.strip() or re.search(r"[%\\\0]", value):
            return "has a blank at an end, or one of % and \\, which databases and drivers read in their own ways"
    return ""


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _refuse_unstable(spec: Spec, report: Report, types: dict[str, KeyType]) -> None:
    names = report.children("key") or tuple(types)
    plain = {_plain(name) for name in names}
    for name in names:
        loc = ("key", name)
        why = _UNSTABLE.get(_plain(name))
        if why:
            report.key(loc, "E309", f"`{name}` does not identify a message", why, "use the id that the producer gave")
        missing = [part for part in _POSITIONS.get(_plain(name), ()) if part not in plain]
        if missing:
            report.key(
                loc,
                "E309",
                f"`{name}` does not identify a message without {' and '.join(missing)}",
                "positions are counted anew in each partition, and when a topic or stream is made again",
                "use `key: kafka`, or add the missing columns",
            )
    if plain and plain <= _LOG | {"epoch"} and plain & _LOG:
        report.key(
            ("key", names[0]),
            "E309",
            "topic and partition do not identify a message without the offset",
            "all messages of a partition would be taken for one",
            "use `key: kafka`",
        )
    if spec.broker and spec.broker.kind == "sqs" and "messageid" in plain:
        report.key(
            (
                ("key", "message_id")
                if report.has("key", "message_id")
                else ("key",) if report.has("key") else ("broker", "kind")
            ),
            "E309",
            "`message_id` does not identify a message on SQS",
            "a redrive from the dead-letter queue gives the message another SQS MessageId",
            "name the producer's own id: `key: {event_id: uuid}`; `names: {event_id: message_id}` keeps the column",
        )


def _refuse_wide(spec: Spec, report: Report, types: dict[str, KeyType]) -> None:
    if len(types) >= MOST_COLUMNS:
        report.value(
            ("key",),
            "E310",
            f"{len(types)} columns and the consumer are more than {MOST_COLUMNS}",
            "MySQL's index holds no more",
            "use a digest of the parts: `key: {event_id: digest}`",
        )
    for dialect in Dialect:
        limit = WIDEST_KEY.get(dialect)
        if dialect not in spec.dialects or limit is None:
            continue
        total = key_width(dialect, (*types.values(), CONSUMER_TYPE))
        if total > limit:
            terms = [f"{name} {width(dialect, column)}" for name, column in types.items()]
            report.value(
                ("key",),
                "E310",
                f"the key takes up to {total} bytes on {dialect}, which allows {limit}",
                f"{' + '.join([*terms, f'consumer {width(dialect, CONSUMER_TYPE)}'])} = {total}",
                "shorten a column, or use digest, which takes 32 bytes for a text of any length",
            )


def _refuse_uuid_of_ef_core(spec: Spec, report: Report, types: dict[str, KeyType]) -> None:
    if spec.naming != Naming.EF_CORE or not any(column.kind is Kind.UUID for column in types.values()):
        return
    for dialect in (Dialect.SQLITE, Dialect.MYSQL, Dialect.MARIADB):
        if dialect in spec.dialects:
            report.value(
                report.item(("dialects",), str(dialect)),
                "E314",
                f"`naming: ef-core` with a uuid key and {dialect}",
                "EF Core stores a Guid in another form there, so one message would have two keys",
                f"remove {dialect}, or make the key a string(36)",
            )


def epoch(spec: Spec) -> str:
    """Counts the lives of a topic or stream, whose offsets begin anew when it is created anew."""
    return (spec.broker.epoch if spec.broker else None) or "1"


def fallback(spec: Spec, report: Report, types: dict[str, KeyType]) -> Fallback | None:
    """What stands in for a missing id: Kafka's coordinates, as long as the key can hold them."""
    life = epoch(spec)
    if spec.fallback is None:
        if spec.broker and spec.broker.epoch and "epoch" not in types and not report.lost("key"):
            report.key(
                ("broker", "epoch"),
                "E325",
                "`epoch` has no use here",
                "it is part of keys that are made of offsets",
                "remove it, or use `key: kafka` or `fallback: kafka`",
            )
        return None
    if not (spec.broker and spec.broker.kind == "kafka") and not report.lost("broker"):
        report.value(
            ("fallback",), "E321", "`fallback: kafka` without a Kafka broker", fix="add `broker: {kind: kafka}`"
        )
    if report.lost("key"):
        return Fallback("kafka", life)
    longest = len(f"kafka:{life}/{'t' * 249}/{2**31 - 1}/{2**63 - 1}")
    column = next(iter(types.values()))
    if len(types) != 1 or column.kind not in (Kind.STRING, Kind.ASCII):
        report.value(
            ("fallback",),
            "E321",
            "`fallback: kafka` needs a key of one string",
            "the coordinates are stored in the column of the id",
            f"use `key: {{message_id: string({longest})}}` or longer",
        )
    elif column.length < longest:
        report.value(
            ("fallback",),
            "E321",
            f"`fallback: kafka` needs {longest} characters, and the key holds {column.length}",
            f"kafka:{life}/<topic, up to 249>/<partition, up to 10>/<offset, up to 19>",
            f"use string({longest}) or longer",
        )
    return Fallback("kafka", life)
