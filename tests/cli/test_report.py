from __future__ import annotations

import json

import pytest

from inboxgen.findings import Finding, Place, RepositoryError, SpecError
from inboxgen.report import LONGEST_EXCERPT, exit_code, github, text, to_json

FINDING = Finding(
    Place("orders.yaml", 3, 19), "E103", "unknown type", "because", "write string(40)", "key: {message_id: strin(40)}"
)


def test_a_finding_shows_its_line_with_a_caret() -> None:
    assert text([FINDING]) == (
        "orders.yaml:3:19: error[E103]: unknown type\n"
        "   3 | key: {message_id: strin(40)}\n"
        "     |                   ^\n"
        "  why: because\n"
        "  fix: write string(40)\n"
        "1 problem\n"
    )


def test_only_what_is_known_is_said() -> None:
    findings = [Finding(Place("b.py"), "R406", "edited"), Finding(Place("a.py"), "S303", "missing")]
    assert text(findings) == "a.py: stale[S303]: missing\nb.py: error[R406]: edited\n2 problems\n"
    assert text([]) == ""


@pytest.mark.parametrize(
    ("source", "column", "below"), [("\ta: b", 5, "\t   ^"), ("日本: b", 5, "      ^"), ("a\x1b[2J: b", 7, "      ^")]
)
def test_the_caret_stands_under_its_column(source: str, column: int, below: str) -> None:
    shown = text([Finding(Place("a", 12, column), "E1", "x", source=source)]).splitlines()
    assert shown[2] == "     | " + below
    assert "\x1b" not in shown[1]


def test_a_long_line_is_cut_around_the_column() -> None:
    source = "x" * 5000 + "HERE" + "y" * 5000
    _, line, caret, _ = text([Finding(Place("a", 1, 5001), "E1", "x", source=source)]).splitlines()
    assert len(line) < LONGEST_EXCERPT + 10
    assert line[caret.index("^") :].startswith("HERE")


def test_what_a_file_says_does_not_drive_the_terminal() -> None:
    shown = text([Finding(Place("a"), "E1", "key `\x1b[31m\x07\x9b`")])
    assert not {"\x1b", "\x07", "\x9b"} & set(shown)


def test_colour_changes_no_character() -> None:
    import re

    assert re.sub(r"\x1b\[[0-9;]*m", "", text([FINDING], color=True)) == text([FINDING])
    assert "\x1b[" in text([FINDING], color=True)


def test_json_has_every_field() -> None:
    (entry,) = json.loads(to_json([FINDING]))
    assert entry == {
        "path": "orders.yaml", "line": 3, "column": 19, "severity": "error", "code": "E103",
        "what": "unknown type", "why": "because", "fix": "write string(40)",
    }  # fmt: skip


def test_github_annotations_are_escaped() -> None:
    finding = Finding(Place("a,b:c", 1, 2), "W1", "50% of\nlines")
    assert github([finding]) == "::warning file=a%2Cb%3Ac,title=W1,line=1,col=2::50%25 of%0Alines\n"


def test_exit_codes() -> None:
    assert exit_code(SpecError([FINDING])).value == 2
    assert exit_code(RepositoryError([FINDING])).value == 3
