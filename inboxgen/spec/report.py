"""Collects what is wrong with a spec, so that one run tells all of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from inboxgen.findings import Finding, Place

Step = str | int
Loc = tuple[Step, ...]


class Spot(NamedTuple):
    """A line and a column, both counted from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Report:
    """The findings so far, and where each part of the spec stands.

    `values` and `keys` say where the value at a path begins and where its key does; `scalars` has
    the values themselves, sound or not. `holes` are the paths that were
    reported and then left out of the data, so that rules do not report what follows from them.
    """

    path: str
    lines: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    values: dict[Loc, Spot] = field(default_factory=dict)
    keys: dict[Loc, Spot] = field(default_factory=dict)
    scalars: dict[Loc, object] = field(default_factory=dict)
    holes: set[Loc] = field(default_factory=set)

    def file(self, code: str, what: str, why: str = "", fix: str = "") -> None:
        """Report about the file as a whole."""
        self.findings.append(Finding(Place(self.path), code, what, why, fix))

    def at(self, spot: Spot, code: str, what: str, why: str = "", fix: str = "") -> None:
        """Report at a spot of the text."""
        source = self.lines[spot.line - 1] if 0 < spot.line <= len(self.lines) else ""
        self.findings.append(Finding(Place(self.path, spot.line, spot.column), code, what, why, fix, source))

    def value(self, loc: Loc, code: str, what: str, why: str = "", fix: str = "") -> None:
        """Report at the value of `loc`, or at the nearest part around it that the text has."""
        self.at(self._nearest(self.values, loc), code, what, why, fix)

    def key(self, loc: Loc, code: str, what: str, why: str = "", fix: str = "") -> None:
        """Report at the key of `loc`; an item of a list has none, so its value is shown."""
        self.at(self.keys.get(loc) or self._nearest(self.values, loc), code, what, why, fix)

    def has(self, *loc: Step) -> bool:
        """Whether the text has something at `loc`, sound or not."""
        return loc in self.values

    def lost(self, *loc: Step) -> bool:
        """Whether `loc`, or something in it or around it, was reported and left out."""
        return any(hole[: len(loc)] == loc[: len(hole)] for hole in self.holes)

    def children(self, *loc: Step) -> tuple[str, ...]:
        """The keys of the map at `loc`, sound or not, in the text's order."""
        return tuple(
            str(key[-1])
            for key in self.keys
            if len(key) == len(loc) + 1 and key[:-1] == loc and not str(key[-1]).startswith("\0")
        )

    def items(self, *loc: Step) -> tuple[tuple[Loc, object], ...]:
        """Path and value of each scalar in the list at `loc`, sound or not."""
        return tuple((key, value) for key, value in self.scalars.items() if key[:-1] == loc)

    def item(self, loc: Loc, value: object) -> Loc:
        """The path of `value` in the list at `loc`; of the list itself when it is not there."""
        return next((key for key, found in self.items(*loc) if found == value), loc)

    @staticmethod
    def _nearest(spots: dict[Loc, Spot], loc: Loc) -> Spot:
        for length in range(len(loc), -1, -1):
            if loc[:length] in spots:
                return spots[loc[:length]]
        return Spot(1, 1)
