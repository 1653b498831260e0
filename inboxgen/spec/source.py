"""YAML text to plain data in which the place of every key and every value is known.

Scalars are read by the core schema of YAML 1.2 (https://yaml.org/spec/1.2.2/#103-core-schema), so `no` is a text. The
nodes are built from PyYAML's events and not by its composer: that one recurses, and has lost duplicate keys and
anchors by the time that it answers.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Any

import yaml

from inboxgen.spec.report import Loc, Report, Spot

DEEPEST = 12

_CORE: tuple[tuple[re.Pattern[str], Any], ...] = (
    (re.compile(r"null|Null|NULL|~|"), lambda text: None),
    (re.compile(r"true|True|TRUE"), lambda text: True),
    (re.compile(r"false|False|FALSE"), lambda text: False),
    (re.compile(r"[-+]?[0-9]{1,40}"), int),
    (re.compile(r"0o[0-7]{1,40}"), lambda text: int(text, 8)),
    (re.compile(r"0x[0-9a-fA-F]{1,40}"), lambda text: int(text, 16)),
    (re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"), lambda text: float(text.replace(".", ""))),
)


class _Loader(yaml.SafeLoader):
    """PyYAML's scanner, with YAML 1.2's plain scalars: inside `{…}` too a `?` may stand in one, as in `text?`."""

    def scan_plain(self) -> Any:
        if not self.flow_level:
            return super().scan_plain()
        # On the instance, and for this token alone: `peek` is called several times for each character of the text.
        self.__dict__["peek"] = self._peek_in_plain
        try:
            return super().scan_plain()
        finally:
            del self.__dict__["peek"]

    def _peek_in_plain(self, index: int = 0) -> str:
        """The character ahead; the text itself is taken from the buffer, so a stand-in for `?` changes nothing."""
        ahead: str = super().peek(index)
        return "x" if ahead == "?" else ahead


class _Lost:
    """Stands for a value that was reported and is left out of the data."""


LOST = _Lost()


@dataclass(slots=True)
class _Container:
    """A mapping or a sequence that is still open."""

    loc: Loc
    value: dict[str, Any] | list[Any] | _Lost
    key: str | None = None
    key_spot: Spot | None = None
    awaits_key: bool = True
    skips_value: bool = False


@dataclass(slots=True)
class _Builder:
    report: Report
    open: list[_Container] = field(default_factory=list)
    root: Any = LOST
    documents: int = 0
    too_deep: bool = False

    def feed(self, event: yaml.Event) -> bool:
        """Take one event; False when nothing after it can be read."""
        if isinstance(event, yaml.DocumentStartEvent):
            return self._document(event)
        if isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            self.open.pop()
        elif isinstance(event, yaml.NodeEvent):
            return self._node(event)
        return True

    def _document(self, event: yaml.DocumentStartEvent) -> bool:
        self.documents += 1
        if self.documents > 1:
            self.report.at(
                _spot(event.start_mark),
                "E110",
                "a second YAML document begins here",
                fix="one file holds one inbox: move the second document into a file of its own",
            )
            return False
        if event.version not in (None, (1, 2)):
            self.report.at(
                _spot(event.start_mark),
                "E116",
                "the %YAML directive asks for another version than 1.2",
                why="other versions read other values: in YAML 1.1 `no` is false and 010 is 8",
                fix="remove the directive",
            )
        return True

    def _node(self, event: yaml.NodeEvent) -> bool:
        value = self._value(event)
        top = self.open[-1] if self.open else None
        if isinstance(top, _Container) and isinstance(top.value, dict) and top.awaits_key:
            self._key(top, event, value)
            nested = _Container(top.loc, LOST)
        else:
            nested = _Container(self._attach(top, event, value), value)
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            self.open.append(nested)
            if len(self.open) > DEEPEST:
                self.report.at(
                    _spot(event.start_mark),
                    "E113",
                    f"nested deeper than {DEEPEST} levels",
                    fix="a spec needs at most 4 levels; look for a bracket that is not closed",
                )
                self.too_deep = True
                return False
        return True

    def _value(self, event: yaml.NodeEvent) -> Any:
        spot = _spot(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            self.report.at(
                spot,
                "E108",
                f"`*{event.anchor}` is an alias",
                why="a spec is read in review, and each value must be seen where it counts",
                fix="write the value out",
            )
            return LOST
        if event.anchor is not None:
            self.report.at(
                spot,
                "E108",
                f"`&{event.anchor}` is an anchor",
                why="aliases are refused, so it has no use",
                fix=f"remove `&{event.anchor}`",
            )
        tag = getattr(event, "tag", None)
        if tag is not None:
            shown = tag.replace("tag:yaml.org,2002:", "!!")
            self.report.at(
                spot,
                "E109",
                f"`{shown}` is a tag",
                why="types come from the spec's format, never from a tag",
                fix=f"remove `{shown}`; quote the value if it must stay a text",
            )
        if isinstance(event, yaml.MappingStartEvent):
            return {}
        if isinstance(event, yaml.SequenceStartEvent):
            return []
        return self._scalar(event, spot)

    def _scalar(self, event: yaml.NodeEvent, spot: Spot) -> Any:
        assert isinstance(event, yaml.ScalarEvent)
        bad = next((c for c in event.value if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")), None)
        if bad is not None:
            self.report.at(
                spot,
                "E104",
                f"the value holds the character U+{ord(bad):04X}, which cannot be seen",
                why="names and values end up in SQL, Python and a reviewer's screen",
                fix="remove it",
            )
            return LOST
        if event.style is None:
            for pattern, read in _CORE:
                if pattern.fullmatch(event.value):
                    return read(event.value)
        return event.value

    def _key(self, top: _Container, event: yaml.NodeEvent, value: Any) -> None:
        top.awaits_key = False
        top.skips_value = True
        spot = _spot(event.start_mark)
        if value is LOST:
            return
        if isinstance(event, yaml.ScalarEvent) and event.value == "<<" and event.style is None:
            self.report.at(spot, "E111", "`<<` is a merge key", why="YAML 1.2 has none", fix="write the keys out")
        elif not isinstance(value, str):
            shown = event.value if isinstance(event, yaml.ScalarEvent) else "a list or a map"
            self.report.at(
                spot,
                "E112",
                f"the key `{shown}` is not a text" if shown else "a key is missing before the colon",
                fix=f'quote it: "{shown}"' if isinstance(event, yaml.ScalarEvent) else "a key is one word",
            )
        elif isinstance(top.value, dict) and (*top.loc, value) in self.report.values:
            first = self.report.keys[(*top.loc, value)]
            self.report.at(
                spot,
                "E107",
                f"`{value}` stands twice, first in line {first.line}",
                why="one of the two would be lost silently",
                fix="keep one of them",
            )
        else:
            top.key, top.key_spot, top.skips_value = value, spot, False

    def _attach(self, top: _Container | None, event: yaml.NodeEvent, value: Any) -> Loc:
        """Put `value` where it belongs and remember its place; answers its path."""
        if top is None:
            self.root = value
            self.report.values[()] = _spot(event.start_mark)
            return ()
        if isinstance(top.value, list):
            loc: Loc = (*top.loc, len(top.value))
            top.value.append(value)
        elif isinstance(top.value, dict) and not top.skips_value:
            assert top.key is not None and top.key_spot is not None
            loc = (*top.loc, top.key)
            self.report.keys[loc] = top.key_spot
            if value is not LOST:
                top.value[top.key] = value
        else:
            top.awaits_key = True
            return (*top.loc, f"\0{len(self.report.values)}")
        top.awaits_key = True
        self.report.values[loc] = _spot(event.start_mark)
        if isinstance(event, yaml.ScalarEvent):
            self.report.scalars[loc] = value
        if value is LOST:
            self.report.holes.add(loc)
        return loc


def _spot(mark: Any) -> Spot:
    return Spot(mark.line + 1, mark.column + 1)


def _syntax(error: yaml.MarkedYAMLError, report: Report) -> None:
    problem, begun = error.problem or "", error.context_mark
    at_end = begun is not None and "end of stream" in problem
    mark = begun if at_end else error.problem_mark
    spot = _spot(mark)
    if "'\\t'" in problem:
        report.at(
            spot,
            "E106",
            "a tab where only blanks may stand",
            why="YAML forbids tabs in indentation",
            fix="replace the tab by blanks",
        )
        return
    told = ": ".join(part for part in (error.context, problem) if part)
    if begun is not None and begun.line + 1 != spot.line:
        told += f" (it begins in line {begun.line + 1})"
    report.at(spot, "E105", f"not YAML: {told}", fix="check the brackets, quotes and indentation up to this place")


def parse(text: str, report: Report) -> dict[str, Any] | None:
    """Read `text` (LF line ends); what is wrong goes to `report`, and the data holds the rest.

    None when the text stops being YAML somewhere or is not a map: what follows from half a spec helps nobody.
    """
    builder = _Builder(report)
    try:
        for event in yaml.parse(text, Loader=_Loader):
            if not builder.feed(event):
                break
    except yaml.MarkedYAMLError as error:
        _syntax(error, report)
        return None
    if builder.too_deep:
        return None
    if builder.root is None or builder.documents == 0:
        report.file(
            "E114",
            "the spec is empty",
            fix="begin with `inbox: orders`; `inboxgen init` writes a starter in a new file",
        )
    elif isinstance(builder.root, dict):
        return builder.root
    elif builder.root is not LOST:
        report.value((), "E115", "the spec is not a map of keys", fix="begin with a key and a colon: `inbox: orders`")
    return None
