"""A spec's data against its format: every misfit becomes a finding and is taken out, and the sound rest goes on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from inboxgen.spec import shape
from inboxgen.spec.formats import DURATION, FIELD_TYPE, FORMATS, PYTHON, Format
from inboxgen.spec.report import Loc, Report

_TAGS = (shape.TEXT, shape.LIST, shape.MAP)
_TYPES = {
    "string_type": "a text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
}


def closest(word: str, words: Iterable[str]) -> str:
    """`did you mean …?`, or nothing when no word is near."""
    by_lower = {known.lower(): known for known in words}
    near = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f"did you mean `{by_lower[near[0]]}`?" if near else ""


def check(data: dict[str, Any], report: Report) -> shape.Spec:
    """Report every misfit of `data` and return what remains when they are left out; `data` is changed."""
    _refuse_nothing(data, (), report)
    try:
        return shape.Spec.model_validate(data)
    except ValidationError as error:
        misfits = error.errors(include_url=False)
        for misfit in misfits:
            _report(misfit, data, report)
        _take_out(misfits, data, report)
    while True:
        try:
            return shape.SoundSpec.model_validate(data)
        except ValidationError as error:
            _take_out(error.errors(include_url=False), data, report)


def _refuse_nothing(value: Any, loc: Loc, report: Report) -> None:
    """Report values that were left out; a key without one is a mistake, never a default."""
    steps: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict):
        steps = tuple(value.items())
    elif isinstance(value, list):
        steps = tuple(enumerate(value))
    for step, inner in steps:
        here = (*loc, step)
        if inner is None:
            named = f"`{step}:`" if isinstance(step, str) else "this item"
            report.key(here, "E204", f"{named} has no value", fix="give it a value, `{}` for none, or remove the line")
            report.holes.add(here)
        else:
            _refuse_nothing(inner, here, report)
    if isinstance(value, dict):
        for step in [step for step, inner in value.items() if inner is None]:
            del value[step]


def _loc(misfit: ErrorDetails) -> tuple[Loc, bool]:
    """The path in the spec, and whether the key itself is meant."""
    loc = tuple(step for step in misfit["loc"] if step not in _TAGS)
    return (loc[:-1], True) if loc and loc[-1] == "[key]" else (loc, False)


def _take_out(misfits: list[ErrorDetails], data: dict[str, Any], report: Report) -> None:
    """Remove what does not fit; a part that lacks something goes whole, and list items go from the end."""
    locs = {_loc(misfit)[0][:-1] if misfit["type"] == "missing" else _loc(misfit)[0] for misfit in misfits}
    for loc in sorted(locs, key=lambda loc: [(isinstance(step, int), step) for step in loc], reverse=True):
        if not loc:
            continue
        report.holes.add(loc)
        around: Any = data
        for step in loc[:-1]:
            around = around[step]
        del around[loc[-1]]


def _report(misfit: ErrorDetails, data: dict[str, Any], report: Report) -> None:
    loc, is_key = _loc(misfit)
    kind, value = misfit["type"], misfit.get("input")
    context: dict[str, Any] = misfit.get("ctx", {})
    if value is None and loc in report.holes:
        return
    shown = f"`{_short(value)}`"
    if kind == "extra_forbidden":
        known = _keys_at(loc[:-1], data)
        report.key(
            loc,
            "E201",
            f"unknown key `{loc[-1]}`",
            fix=closest(str(loc[-1]), known) or f"known here: {', '.join(known)}",
        )
    elif kind == "missing":
        if loc not in report.holes:
            report.key(loc[:-1], "E202", f"`{loc[-1]}` is missing", fix=_MISSING.get(str(loc[-1]), f"add `{loc[-1]}:`"))
    elif kind == "choice":
        words: tuple[str, ...] = context["words"]
        listed = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
        report.value(
            loc, "E205", f"{shown} is not known for {_named(loc)}", fix=closest(str(value), words) or f"use {listed}"
        )
    elif kind == "string_pattern_mismatch":
        form = FORMATS[context["pattern"]]
        put = report.key if is_key else report.value
        put(loc, form.code, f"{shown} is not {form.what}", fix=_format_fix(str(value), form))
    elif kind in ("too_short", "string_too_short"):
        report.value(
            loc,
            "E211",
            f"{_named(loc)} is empty",
            fix="name at least one" if kind == "too_short" else "give it a value",
        )
    elif kind in ("greater_than_equal", "less_than_equal"):
        limit = f"at least {context['ge']}" if "ge" in context else f"at most {context['le']}"
        report.value(loc, "E210", f"{shown} is out of range for {_named(loc)}", fix=f"give {limit}")
    else:
        expected = _TYPES.get(kind, misfit["msg"])
        report.value(
            loc,
            "E203",
            f"{_named(loc)} must be {expected}, and this is {_type(value)}",
            fix=_type_fix(loc, value, str(expected)),
        )


_MISSING = {
    "inbox": "add `inbox: <name>`",
    "dialects": "add `dialects: [postgresql]`, or more of postgresql, mssql, sqlite, mysql and mariadb",
    "consumers": "add `consumers: [<name>]`",
    "kind": f"add `kind:` with one of {', '.join(shape.BROKERS)}",
}


def _named(loc: Loc) -> str:
    names = [step for step in loc if isinstance(step, str)]
    item = "an item of " if loc and isinstance(loc[-1], int) else ""
    return f"{item}`{names[-1]}`" if names else "the spec"


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _type(value: Any) -> str:
    names: Mapping[type, str] = {dict: "a map", list: "a list", str: "a text", bool: "true or false"}
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"the number {_short(value)}"
    return names.get(type(value), "something else")


def _type_fix(loc: Loc, value: Any, expected: str) -> str:
    if loc == ("python",):
        return PYTHON.fix
    if isinstance(value, int) and not isinstance(value, bool) and loc and loc[-1] in _DURATIONS:
        return DURATION.fix
    if expected == "a text" and isinstance(value, (int, float, bool)):
        written = str(value).lower() if isinstance(value, bool) else _short(value)
        return f'put it in quotes: "{written}"'
    if expected == "a list" and isinstance(value, str):
        return f"put it in brackets: [{value}]"
    if expected == "a whole number" and isinstance(value, str) and value.isascii() and value.isdigit():
        return "remove the quotes"
    return f"give {expected}"


_DURATIONS = (
    "lock_duration",
    "time_to_live",
    "dead_letter_replay",
    "publisher_retry",
    "margin",
    "retention",
    "lease",
    "idempotency_window",
)


def _format_fix(value: str, form: Format) -> str:
    word = value.partition("(")[0].rstrip("?")
    if form is FIELD_TYPE and value.startswith("decimal(") and ")" not in value:
        return 'inside braces the comma ends a value: put it in quotes, "decimal(18, 2)"'
    near = closest(word, form.words) if word not in form.words else ""
    return f"{near} {form.fix}".strip()


def _keys_at(loc: Loc, data: dict[str, Any]) -> tuple[str, ...]:
    """The keys that the format has at `loc`."""
    part: type[BaseModel] = shape.Spec
    places: dict[Loc, type[BaseModel]] = {
        ("broker",): shape.Broker,
        ("table",): shape.Table,
        ("mssql",): shape.Mssql,
        ("migrations",): shape.Migrations,
    }
    if loc in places:
        part = places[loc]
    elif loc[:1] == ("key",) and len(loc) == 2:
        part = shape.KeyColumn
    elif loc[:1] == ("consumers",):
        part = shape.IgnoreOlder if len(loc) == 3 else shape.Consumer
    return tuple(info.alias or name for name, info in part.model_fields.items())
