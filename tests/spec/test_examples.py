"""Every example loads, every refused one says why, and the whole format stays accepted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inboxgen import report, spec
from inboxgen.explain import codes, explain
from inboxgen.findings import SpecError
from inboxgen.spec.report import Report
from inboxgen.spec.source import parse
from inboxgen.spec.unbuilt import UNBUILT, Unbuilt, refuse_unbuilt
from tests.golden import Golden
from tests.spec.specs import EXAMPLES, REFUSED, ROOT

FULL = Path(__file__).with_name("full.yaml")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_loads_and_is_named_after_its_file(path: Path) -> None:
    assert spec.load(path).name == path.stem.partition("-")[0]


def test_the_whole_format_is_accepted_except_for_what_is_not_built() -> None:
    with pytest.raises(SpecError) as raised:
        spec.load(FULL)
    assert {finding.code for finding in raised.value.findings} == {"E901"}
    assert len(raised.value.findings) == 9


@pytest.mark.parametrize("row", UNBUILT, ids=lambda row: ".".join(row.path))
def test_what_is_not_built_is_reported_at_its_key(row: Unbuilt) -> None:
    value = "true" if row.value is True else row.value or "x"
    text = "".join(f"{'  ' * depth}{step.replace('*', 'name')}:\n" for depth, step in enumerate(row.path))
    report = Report("orders.yaml")
    parse(f"{text[:-1]} {value}\n", report)
    refuse_unbuilt(report)
    (found,) = report.findings
    assert (found.code, found.place.line) == ("E901", len(row.path))
    if row.value is not None:
        report = Report("orders.yaml")
        parse(f"{text[:-1]} other\n", report)
        refuse_unbuilt(report)
        assert not report.findings


def test_every_refused_example_is_refused_as_recorded(golden: Golden, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT / "examples" / "refused")
    produced = {}
    for path in REFUSED:
        with pytest.raises(SpecError) as raised:
            spec.load(Path(path.name))
        exit_code = report.exit_code(raised.value)
        produced[f"{path.stem}.txt"] = f"exit {int(exit_code)}\n{report.text(raised.value.findings)}"
    assert len(produced) >= 60
    golden.check("refused", produced)


def test_every_code_is_explained_and_every_explanation_used() -> None:
    source = "".join(path.read_text() for path in (ROOT / "inboxgen" / "spec").glob("*.py"))
    used = set(re.findall(r'"(E\d{3})"', source))
    assert used == {code for code in codes() if code.startswith("E")}
    refused = {
        finding.partition("[")[2].partition("]")[0]
        for path in (ROOT / "golden" / "refused").glob("*.txt")
        for finding in path.read_text().splitlines()
        if ": error[" in finding
    }
    assert refused <= set(codes())
    # What no file in a repository can show: a missing one, an unreadable one, one that is too large.
    assert used - refused == {"E101", "E102", "E117"}


@pytest.mark.parametrize("code", [code for code in codes() if code.startswith("E")])
def test_an_explanation_has_a_title_and_a_text(code: str) -> None:
    title, blank, text = explain(code.lower()).split("\n", 2)
    assert title.startswith(f"# {code}: ") and not blank and len(text) > 40


def test_an_unknown_code_is_no_finding() -> None:
    with pytest.raises(LookupError, match="E999"):
        explain("E999")


def test_the_starter_is_a_spec() -> None:
    assert spec.load(ROOT / "inboxgen" / "cli" / "starter.yaml").consumers
