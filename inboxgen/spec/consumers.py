"""Messages and the consumers that handle them: names in Python, names in the table, and what refers to what."""

from __future__ import annotations

import re

from inboxgen.model import Consumer, Message, MessageField, Naming
from inboxgen.names import snake_case
from inboxgen.spec import shape
from inboxgen.spec.check import closest
from inboxgen.spec.keys import CONSUMER_TYPE
from inboxgen.spec.report import Loc, Report
from inboxgen.spec.reserved import CLASSES, DEVICES, MODULES, TYPES
from inboxgen.spec.tables import identifier
from inboxgen.spec.target import repeated


def messages(spec: shape.Spec, report: Report) -> dict[str, Message]:
    """The messages by the spec's names, sorted, so that the spec's order changes nothing."""
    made: dict[str, Message] = {}
    seen: dict[str, str] = {}
    for name, fields in spec.messages.items():
        loc = ("messages", name)
        _clash(report, loc, name, identifier(name), seen)
        if identifier(name) in CLASSES:
            report.key(
                loc,
                "E302",
                f"`{name}` is taken in the generated package",
                "the class would hide another of its name",
                f"rename it: {name}Message",
            )
        taken: dict[str, str] = {}
        for field in fields:
            if field in TYPES:
                report.key(
                    (*loc, field),
                    "E302",
                    f"`{field}` is the name of a type",
                    "in the fields after it the class would read it as this field",
                    f"rename it: {field.lower()}_value",
                )
            other = taken.setdefault(identifier(field), field)
            if other != field:
                report.key(
                    (*loc, field),
                    "E301",
                    f"`{field}` and `{other}` are both `{identifier(field)}` in Python",
                    "a keyword gets an underscore",
                    "rename one of them",
                )
        made[name] = Message(
            identifier(name), tuple(_field(field, text, (*loc, field), report) for field, text in fields.items())
        )
    return dict(sorted(made.items()))


def _field(name: str, text: str, loc: Loc, report: Report) -> MessageField:
    kind, _, rest = text.rstrip("?").partition("(")
    arguments = tuple(int(number) for number in re.findall("[0-9]+", rest))
    if arguments and (arguments[0] > 38 or arguments[1] > arguments[0]):
        report.value(
            loc,
            "E327",
            f"`{text}` has no such precision",
            "decimal(P, S) has P digits in all, at most 38, and S of them after the point",
            "use decimal(18, 2)",
        )
    return MessageField(identifier(name), kind, text.endswith("?"), arguments)


def _clash(report: Report, loc: Loc, name: str, mine: str, seen: dict[str, str]) -> None:
    other = seen.setdefault(mine.casefold(), name)
    if other != name:
        report.key(
            loc,
            "E301",
            f"`{name}` and `{other}` are one name in Python: `{mine}`",
            "files and names that differ by case alone are one on Windows and macOS",
            "rename one of them",
        )


def consumers(spec: shape.Spec, report: Report, known: dict[str, Message]) -> tuple[Consumer, ...]:
    """The consumers sorted by name."""
    repeated(report, "consumers")
    given = {name: shape.Consumer() for name in spec.consumers} if isinstance(spec.consumers, list) else spec.consumers
    made = []
    places = {value: loc for loc, value in reversed(report.items("consumers"))}
    identifiers: dict[str, str] = {}
    stored: dict[str, str] = {}
    classes = {message.name for message in known.values()}
    for name, options in given.items():
        loc = places.get(name, ("consumers", name))
        mine = identifier(snake_case(name))
        _clash(report, loc, name, mine, identifiers)
        if mine in MODULES or mine in DEVICES:
            report.key(
                loc,
                "E302",
                f"`{name}` is taken",
                f"the generated package has a {mine}.py of its own" if mine in MODULES else "Windows has no such file",
                f"rename it; `stored_as: {name}` keeps the table's name",
            )
        if {mine, f"consume_{mine}"} & classes:
            report.key(
                loc,
                "E301",
                f"a message has a name of the consumer `{name}`: `{mine}` or `consume_{mine}`",
                "the package imports the message's class beside the consumer's module and function",
                "rename the message",
            )
        stored_name = options.stored_as or name
        _check_stored(report, loc, options, stored_name)
        other = stored.setdefault(stored_name, name)
        if other != name:
            report.value(
                (*loc, "stored_as") if options.stored_as else (*loc,),
                "E304",
                f"`{name}` and `{other}` are both stored as `{stored_name}`",
                "each would take the other's messages for its own duplicates",
                "give one of them another stored name",
            )
        _check_options(spec, report, (*loc,), options, known)
        handles = known.get(options.handles) if options.handles else None
        made.append(Consumer(name, mine, stored_name, handles, options.fast_path))
    return tuple(sorted(made, key=lambda consumer: consumer.name))


def _check_stored(report: Report, loc: Loc, options: shape.Consumer, stored: str) -> None:
    units = len(stored.encode("utf-16-le")) // 2
    if units > CONSUMER_TYPE.length:
        report.value(
            (*loc, "stored_as"),
            "E305",
            f"the stored name has {units} characters, and the column holds {CONSUMER_TYPE.length}",
            "SQL Server counts UTF-16 units",
            "shorten it",
        )
    elif options.stored_as is not None and stored != stored.strip():
        report.value(
            (*loc, "stored_as"),
            "E305",
            "the stored name begins or ends with a blank",
            "SQL Server takes `a` and `a ` for one key",
            "remove the blank",
        )


def _check_options(
    spec: shape.Spec, report: Report, loc: Loc, options: shape.Consumer, known: dict[str, Message]
) -> None:
    for key, message in (("handles", options.handles), ("result", options.result)):
        if message is not None and message not in known and not report.has("messages", message):
            names = report.children("messages")
            report.value(
                (*loc, key),
                "E322",
                f"no message is called `{message}`",
                fix=closest(message, names) or (f"known: {', '.join(names)}" if names else "add it under `messages`"),
            )
    fields = [((*loc, "fingerprint", n), name) for n, name in enumerate(options.fingerprint or ())]
    if options.fingerprint:
        repeated(report, *(str(step) for step in loc), "fingerprint")
    if options.ignore_older:
        older = options.ignore_older
        fields += [((*loc, "ignore_older", "entity"), older.entity), ((*loc, "ignore_older", "version"), older.version)]
    for place, name in fields:
        _check_field(spec, report, place, name, options.handles)
    external = options.effect == "external"
    for key in ("lease", "on_unknown", "idempotency_window"):
        if getattr(options, key) is not None and not external and not report.lost(*loc, "effect"):
            report.key(
                (*loc, key),
                "E325",
                f"`{key}` has a meaning only with `effect: external`",
                fix="remove it, or add the effect",
            )
    if external and options.ignore_older:
        report.key(
            (*loc, "ignore_older"),
            "E326",
            "`ignore_older` with `effect: external`",
            "the version is compared in the effect's own transaction, and an external effect has none",
            "remove one of the two",
        )
    if external and spec.naming == Naming.EF_CORE:
        report.value(
            (*loc, "effect"),
            "E326",
            "`effect: external` with `naming: ef-core`",
            "the table that EF Core makes has no column for the state of a claim",
            "use a table of its own",
        )
    for key in ("fast_path", "fingerprint", "ignore_older"):
        if options.effect == "natural" and getattr(options, key):
            report.key(
                (*loc, key),
                "E326",
                f"`{key}` with `effect: natural`",
                "there is no marker to look at",
                "remove one of the two",
            )


def _check_field(spec: shape.Spec, report: Report, loc: Loc, name: str, handles: str | None) -> None:
    if handles is None:
        if not report.lost(*loc[:2], "handles"):
            report.value(
                loc, "E323", f"`{name}` is a field of no message", fix="say which message the consumer `handles`"
            )
        return
    fields = report.children("messages", handles)
    if handles in spec.messages and name not in fields:
        report.value(
            loc,
            "E323",
            f"`{handles}` has no field `{name}`",
            fix=closest(name, fields) or f"its fields: {', '.join(fields)}",
        )
