"""What the format has and the generator does not make yet: a row goes when its feature comes."""

from __future__ import annotations

from typing import NamedTuple

from inboxgen.spec.report import Report


class Unbuilt(NamedTuple):
    """A key, `*` standing for any name, and the value that is not built; None is any value."""

    path: tuple[str, ...]
    value: object = None


UNBUILT = (
    Unbuilt(("consumers", "*", "effect"), "external"),
    Unbuilt(("consumers", "*", "effect"), "natural"),
    Unbuilt(("consumers", "*", "lease")),
    Unbuilt(("consumers", "*", "on_unknown")),
    Unbuilt(("consumers", "*", "idempotency_window")),
    Unbuilt(("consumers", "*", "ignore_older")),
    Unbuilt(("consumers", "*", "fingerprint")),
    Unbuilt(("consumers", "*", "result")),
    Unbuilt(("dead_letters",), True),
    Unbuilt(("mssql", "online"), True),
)


def refuse_unbuilt(report: Report) -> None:
    """Report each use of what is not built; a key that was silently ignored would be worse than none."""
    names = {row.path[-1] for row in UNBUILT}
    for loc in report.keys:
        for row in UNBUILT if loc[-1] in names else ():
            fits = len(loc) == len(row.path) and all(b in ("*", a) for a, b in zip(loc, row.path, strict=True))
            value = report.scalars.get(loc)
            if fits and row.value in (None, value):
                shown = f"`{loc[-1]}`" if row.value is None else f"`{loc[-1]}: {str(row.value).lower()}`"
                report.key(
                    loc,
                    "E901",
                    f"{shown} is not built yet",
                    "the format has it, and this version does not generate it",
                    "leave it out for now",
                )
