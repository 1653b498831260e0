"""What is generated and for whom: dialects, drivers, package, Python and migrations."""

from __future__ import annotations

import keyword
import re
import sys
from pathlib import PurePosixPath

from inboxgen.dialects.drivers import DRIVERS, fitting
from inboxgen.model import Api, Dialect, Migrations
from inboxgen.names import snake_case
from inboxgen.spec.report import Loc, Report
from inboxgen.spec.shape import Spec

_TAKEN_PACKAGES = {*sys.stdlib_module_names, "alembic", "inboxgen", "sqlalchemy", "tests", "golden"}
_PART = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def repeated(report: Report, *loc: str) -> None:
    """Refuse a list that names something twice."""
    seen: set[object] = set()
    for place, value in report.items(*loc):
        if value in seen and place not in report.holes:
            report.value(place, "E303", f"`{value}` is named twice in `{loc[-1]}`", fix="remove one of them")
        seen.add(value)


def dialects(spec: Spec, report: Report) -> tuple[Dialect, ...]:
    """The dialects in the order of the enumeration, so that the spec's order changes nothing."""
    repeated(report, "dialects")
    return tuple(dialect for dialect in Dialect if dialect in spec.dialects)


def drivers(spec: Spec, report: Report, chosen: tuple[Dialect, ...]) -> tuple[str, ...]:
    """The drivers in the table's order; SQLite's own is always there."""
    api = Api(spec.api)
    every = {name for dialect in chosen for name in fitting(dialect, api)}
    if spec.drivers is None:
        return tuple(name for name in DRIVERS if name in every)
    repeated(report, "drivers")
    if not (report.lost("dialects") or report.lost("api")):
        for name in spec.drivers:
            _fits(name, every, api, report)
    implied = fitting(Dialect.SQLITE, api) if Dialect.SQLITE in chosen else ()
    named = {*spec.drivers, *implied}
    for dialect in chosen:
        if not named & set(fitting(dialect, api)) and not (report.lost("drivers") or report.lost("api")):
            report.value(
                ("drivers",),
                "E313",
                f"no driver for {dialect} is named",
                why=f"`api: {api}` and {dialect} need one of {', '.join(fitting(dialect, api))}",
                fix="name one, or leave `drivers` out for all that fit",
            )
    return tuple(name for name in DRIVERS if name in named)


def _fits(name: str, every: set[str], api: Api, report: Report) -> None:
    if name in every:
        return
    place = report.item(("drivers",), name)
    driver = DRIVERS[name]
    if api not in driver.apis:
        report.value(
            place,
            "E312",
            f"`{name}` cannot be used with `api: {api}`",
            fix=f"use `api: {driver.apis[0]}`, or one of {', '.join(sorted(every))}",
        )
    else:
        served = " and ".join(driver.urls)
        report.value(
            place,
            "E312",
            f"`{name}` is a driver for {served}, which `dialects` does not name",
            fix=f"remove it, or add {served} to `dialects`",
        )


def _relative(text: str, loc: Loc, report: Report) -> bool:
    """Report a path that leaves the spec's folder or that another system reads differently."""
    parts = text.split("/")
    if all(_PART.fullmatch(part) for part in parts):
        return True
    report.value(
        loc,
        "E324",
        f"`{text}` is not a path below the spec's folder",
        why="everything is written below the spec's folder, and paths mean the same on every system",
        fix="use relative parts of letters, digits, `_`, `-` and `.`, joined by `/`, without `..`",
    )
    return False


def package(spec: Spec, report: Report) -> PurePosixPath:
    """Where the generated package goes; its last part is the import name."""
    if spec.package is None:
        return PurePosixPath(f"{snake_case(spec.inbox)}_inbox")
    loc = ("package",)
    path = PurePosixPath(spec.package)
    if _relative(spec.package, loc, report):
        if not path.name.isidentifier() or keyword.iskeyword(path.name):
            report.value(
                loc,
                "E324",
                f"`{path.name}` cannot be imported: it is not a name in Python",
                fix="the last part is a package: letters, digits and `_`, and no keyword",
            )
        elif path.name.lower() in _TAKEN_PACKAGES or path.parts[0].lower() == "golden":
            report.value(
                loc,
                "E324",
                f"`{spec.package}` is taken",
                why="it would hide a module that is there already, or lie among the golden files",
                fix=f"choose another one: {snake_case(spec.inbox) or 'orders'}_inbox",
            )
    return path


def python(spec: Spec) -> tuple[int, int]:
    """(major, minor) of the generated code."""
    major, minor = spec.python.split(".")
    return int(major), int(minor)


def migrations(spec: Spec, report: Report) -> Migrations:
    """Where Alembic's revisions go."""
    if spec.migrations is None:
        return Migrations()
    if isinstance(spec.migrations, str):
        return Migrations(enabled=False)
    given = spec.migrations
    if given.alembic is not None:
        _relative(given.alembic, ("migrations", "alembic"), report)
    if given.branch in ("head", "heads", "base", "current"):
        report.value(
            ("migrations", "branch"),
            "E302",
            f"`{given.branch}` has a meaning of its own in Alembic",
            fix="choose another label",
        )
    return Migrations(ini=given.alembic or "", branch=given.branch or "")
