"""The names that the database knows the inbox by: given ones checked, the others derived."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from inboxgen.model import Dialect, KeyColumn, KeyType, Kind, Naming, Table, Uniqueness
from inboxgen.names import LONGEST_NAME_BYTES, pascal_case, shorten
from inboxgen.spec import keys, shape
from inboxgen.spec.check import closest
from inboxgen.spec.report import Loc, Report
from inboxgen.spec.reserved import KEY_FIELDS

OWN_COLUMNS = ("id", "consumer", "received_at", "processed_at")
OWN_KEYS = ("primary_key", "dedup_key")
PER_TENANT = "per-tenant"

_EF_CORE = {"id": "Id", "consumer": "Consumer", "received_at": "ReceivedUtc", "processed_at": "ProcessedUtc"}
_PREFIX = {
    (Naming.SNAKE_CASE, Uniqueness.INDEX): "ix",
    (Naming.SNAKE_CASE, Uniqueness.CONSTRAINT): "uq",
    (Naming.EF_CORE, Uniqueness.INDEX): "IX",
    (Naming.EF_CORE, Uniqueness.CONSTRAINT): "AK",
}


def identifier(name: str) -> str:
    """`name` in Python; a keyword gets an underscore."""
    return f"{name}_" if keyword.iskeyword(name) else name


@dataclass(frozen=True, slots=True)
class _Names:
    """The spec's own names and the rule for all others."""

    given: dict[str, str]
    naming: Naming

    def column(self, name: str) -> str:
        if name in self.given:
            return self.given[name]
        return _EF_CORE.get(name) or pascal_case(name) if self.naming is Naming.EF_CORE else name

    def made(self, *parts: str) -> str:
        """A key's name out of parts; what needs quoting in a part does not go into it."""
        return shorten("_".join(re.sub(r"\W+", "_", part).strip("_") for part in parts))


def table(
    spec: shape.Spec, report: Report, types: dict[str, KeyType], uniqueness: Uniqueness
) -> tuple[Table, tuple[KeyColumn, ...]]:
    """The inbox table and its key columns."""
    naming = Naming(spec.naming)
    names = _Names(spec.names, naming)
    defaults = {"epoch": keys.epoch(spec)} if types.get("epoch", KeyType(Kind.UUID)).kind is Kind.ASCII else {}
    backfills, former = keys.backfills(spec, report, types), keys.former_names(spec, report)
    key = tuple(
        KeyColumn(
            identifier(name),
            names.column(name),
            column,
            was=identifier(former[name]) if name in former else "",
            backfill=backfills.get(name, ""),
            default=defaults.get(name, ""),
        )
        for name, column in types.items()
    )
    own = {name: names.column(name) for name in OWN_COLUMNS}
    form = shape.Table(name=spec.table) if isinstance(spec.table, str) else spec.table or shape.Table()
    name = form.name or ("Inbox" if naming is Naming.EF_CORE else "inbox")
    prefix = _PREFIX[naming, uniqueness]
    primary = names.given.get("primary_key") or names.made("PK" if naming is Naming.EF_CORE else "pk", name)
    dedup = names.given.get("dedup_key") or names.made(prefix, name, *(part.column for part in key), own["consumer"])
    _check_fields(report, types)
    _check_names(spec, report, types)
    _check_columns(report, {**own, **{name: names.column(name) for name in types}})
    _check_objects(report, spec, {"table": name, "primary_key": primary, "dedup_key": dedup})
    _check_schema(spec, report, form)
    _check_existing(spec, report, form, name, uniqueness)
    per_tenant = form.schema_ == PER_TENANT
    return (
        Table(
            name=name,
            id=own["id"],
            consumer=own["consumer"],
            received_at=own["received_at"],
            processed_at=own["processed_at"],
            primary_key=primary,
            dedup_key=dedup,
            schema=None if per_tenant else form.schema_,
            per_tenant=per_tenant,
            was=form.was or "",
        ),
        key,
    )


def _check_fields(report: Report, types: dict[str, KeyType]) -> None:
    taken: dict[str, str] = {}
    for name in types:
        loc = ("key", name)
        if name in OWN_COLUMNS or name in OWN_KEYS:
            report.key(
                loc,
                "E311",
                f"`{name}` is a name of ours",
                "the table has it apart from the message's identity",
                "give the key column another name; `consumer` is added to every key by itself",
            )
        elif name in KEY_FIELDS:
            report.key(
                loc,
                "E302",
                f"`{name}` is taken in the generated model",
                fix=f"name it event_{name}, and give the column its name by `names: {{event_{name}: {name}}}`",
            )
        elif identifier(name) in taken:
            report.key(
                loc,
                "E301",
                f"`{name}` and `{taken[identifier(name)]}` are both `{identifier(name)}` in Python",
                "a keyword gets an underscore",
                "rename one of them",
            )
        taken[identifier(name)] = name


def _check_names(spec: shape.Spec, report: Report, types: dict[str, KeyType]) -> None:
    known = (*OWN_COLUMNS, *OWN_KEYS, *types)
    for name, given in spec.names.items():
        loc: Loc = ("names", name)
        if name not in known and not report.lost("key"):
            report.key(
                loc,
                "E308",
                f"the table has no `{name}`",
                fix=closest(name, known) or f"`names` can have {', '.join(known)}",
            )
        _check_database_name(report, loc, given)
    places: tuple[Loc, ...] = (("table",), ("table", "name"), ("table", "schema"), ("table", "was"))
    for loc in places:
        text = report.scalars.get(loc)
        if isinstance(text, str) and text and not report.lost(*loc):
            _check_database_name(report, loc, text)


def _check_database_name(report: Report, loc: Loc, name: str) -> None:
    wrong = ""
    if len(name.encode()) > LONGEST_NAME_BYTES:
        wrong = f"has {len(name.encode())} bytes, and PostgreSQL cuts names at {LONGEST_NAME_BYTES}"
    elif re.search(r"[%:?\\]", name):
        wrong = "has one of % : ? \\, which drivers read as a parameter or an escape"
    elif name != name.strip():
        wrong = "begins or ends with a blank, which MySQL refuses"
    elif max(name) > "\uffff":
        wrong = "has a character beyond U+FFFF, which MySQL refuses"
    if wrong:
        report.value(loc, "E306", f"`{name}` cannot be a name in every database", f"it {wrong}", "choose another name")


def _name_place(report: Report, name: str) -> Loc:
    return next((loc for loc in (("names", name), ("key", name)) if report.has(*loc)), ("key",))


def _check_columns(report: Report, names: dict[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, column in names.items():
        other = seen.setdefault(column.casefold(), name)
        if other != name and (name not in OWN_COLUMNS + OWN_KEYS or report.has("names", name)):
            report.value(
                _name_place(report, name),
                "E307",
                f"the columns of `{other}` and `{name}` are both `{column}`",
                "SQL Server, MySQL and SQLite do not tell names apart by case",
                "rename one of them",
            )


def _check_objects(report: Report, spec: shape.Spec, names: dict[str, str]) -> None:
    seen: dict[str, str] = {}
    for name, text in names.items():
        other = seen.setdefault(text.casefold(), name)
        loc = ("names", name) if name in spec.names else ("table", "name")
        if other != name:
            report.value(
                loc,
                "E307",
                f"`{other}` and `{name}` are both called `{text}`",
                "on PostgreSQL tables and indexes share one space of names",
                "rename one of them",
            )
        if name == "dedup_key" and text.upper() == "PRIMARY":
            report.value(
                loc,
                "E302",
                f"`{text}` is how MySQL calls every primary key",
                "a duplicate could not be told from a clash of the primary key",
                "choose another name",
            )
        if text.lower().startswith("sqlite_") and Dialect.SQLITE in spec.dialects:
            report.value(
                loc, "E302", f"`{text}`: SQLite keeps names that begin with sqlite_", fix="choose another name"
            )


def _check_existing(spec: shape.Spec, report: Report, form: shape.Table, name: str, uniqueness: Uniqueness) -> None:
    if form.was == name and uniqueness is Uniqueness.CONSTRAINT and Dialect.SQLITE in spec.dialects:
        report.value(
            ("uniqueness",),
            "E331",
            "SQLite cannot add a constraint to a table that exists",
            f"`was: {name}` says that the table is there already, and it would have to be made anew",
            "use `uniqueness: unique-index`, or remove sqlite from `dialects`",
        )


def _check_schema(spec: shape.Spec, report: Report, form: shape.Table) -> None:
    if form.schema_ is None:
        return
    loc = ("table", "schema")
    if Dialect.SQLITE in spec.dialects:
        report.value(
            loc,
            "E315",
            "SQLite has no schemas",
            "tables of a file are all in one space of names",
            "remove `schema`, or make a second spec for SQLite",
        )
    if form.schema_.lower().startswith("pg_") and Dialect.POSTGRESQL in spec.dialects:
        report.value(
            loc, "E302", f"`{form.schema_}`: PostgreSQL keeps schemas that begin with pg_", fix="choose another name"
        )
