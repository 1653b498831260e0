"""YAML: the scalars of the core schema, places, encodings, and that no text raises anything but SpecError."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from inboxgen import spec
from inboxgen.findings import Place, SpecError
from inboxgen.spec import reading
from inboxgen.spec.report import Report, Spot
from inboxgen.spec.source import DEEPEST, parse
from tests.spec.specs import EXAMPLES, REFUSED, findings, load_text

SMALLEST = "inbox: orders\ndialects: [postgresql, sqlite]\nconsumers: [credit, email]\n"


def value_of(text: str) -> Any:
    report = Report("x.yaml")
    data = parse(f"key: {text}\n", report)
    assert data is not None and not report.findings, report.findings
    return data["key"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"), ("Yes", "Yes"), ("on", "on"), ("true", True), ("FALSE", False), ("~", None), ("Null", None),
        ("010", 10), ("0o10", 8), ("0x1F", 31), ("-3", -3), ("1_000", "1_000"), ("12:30:45", "12:30:45"),
        ("2026-11-30", "2026-11-30"), ("1.10", 1.1), ("1e3", 1000.0), (".inf", float("inf")), ('"true"', "true"),
        ("'3.11'", "3.11"), ("text?", "text?"), ("{a: text?}", {"a": "text?"}), ("[uuid?, b]", ["uuid?", "b"]),
        ("9" * 5000, float("inf")), ("=", "="),
    ],
)  # fmt: skip
def test_a_scalar_is_read_by_the_core_schema(text: str, value: Any) -> None:
    found = value_of(text)
    assert found == value and type(found) is type(value)


def test_places_of_keys_and_values() -> None:
    report = Report("x.yaml")
    parse("a:\n  b: [c, {d: e}]\n", report)
    assert report.keys[("a", "b")] == Spot(2, 3)
    assert report.values[("a", "b", 1, "d")] == Spot(2, 14)
    assert report.values[("a", "b", 0)] == Spot(2, 7)


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_and_line_ends_change_nothing(tmp_path: Path, mark: str, end: str) -> None:
    inbox = load_text(tmp_path, mark + SMALLEST.replace("\n", end))
    assert inbox == load_text(tmp_path, SMALLEST)


def test_the_place_is_right_with_crlf_and_a_byte_order_mark(tmp_path: Path) -> None:
    text = "\ufeff" + (SMALLEST + "table: ''\n").replace("\n", "\r\n")
    (found,) = findings(tmp_path, text)
    assert (found.place.line, found.place.column, found.source) == (4, 8, "table: ''")


def test_the_path_is_the_one_that_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SpecError) as raised:
        spec.load(Path("specs/orders.yaml"))
    assert raised.value.findings[0].place == Place("specs/orders.yaml")
    assert "inboxgen init specs/orders.yaml" in raised.value.findings[0].fix


def test_what_is_no_readable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe")
    closed = tmp_path / "closed.yaml"
    closed.write_text(SMALLEST)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    for path in (tmp_path, tmp_path / "pipe", Path("nul\0name"), closed):
        if path == closed:
            monkeypatch.setattr(Path, "open", refuse)
        with pytest.raises(SpecError) as raised:
            spec.load(path)
        assert [finding.code for finding in raised.value.findings] in (["E102"], ["E101"])


def test_a_file_that_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 10)
    assert [finding.code for finding in findings(tmp_path, SMALLEST)] == ["E117"]


def test_nesting_has_an_end(tmp_path: Path) -> None:
    for opened in ("[", "{a: ", "? ["):
        assert {finding.code for finding in findings(tmp_path, "names: " + opened * 50_000)} <= {"E113", "E105", "E112"}
    fits = "names: " + "[" * (DEEPEST - 1) + "]" * (DEEPEST - 1)
    assert "E113" not in [finding.code for finding in findings(tmp_path, fits)]


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode(errors="surrogatepass")))
def test_any_bytes_are_refused_and_nothing_else(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.yaml"
    path.write_bytes(data)
    with pytest.raises(SpecError):
        spec.load(path)


SEEDS = [path.read_bytes() for path in (*EXAMPLES, *REFUSED, Path(__file__).with_name("full.yaml"))]
PIECES = [
    *(b"~", b"[]", b"{}", b": ", b"*a", b"&a ", b"!!int ", b"? ", b"\t", b"\n", b"true", b"1e9", b"-", b"'", b"<<"),
    *(b'"\\ud800"', b"999999w", b"string(99999)", b"per-tenant", b"consumers", b"key", b"\xff", b"\x00", b"---\n"),
    b"[key]",
]


@settings(deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_mutated_spec_is_accepted_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SEEDS))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + data.draw(st.sampled_from(PIECES) | st.binary(max_size=3)) + text[end:]
    path = tmp_path / "mutated.yaml"
    path.write_bytes(text)
    try:
        inbox = spec.load(path)
    except SpecError as error:
        assert error.findings
        assert all(finding.place.line <= text.count(b"\n") + text.count(b"\r") + 1 for finding in error.findings)
    else:
        assert spec.from_normal_form(spec.normal_form(inbox)) == inbox


WORDS = ["type", "was", "name", "schema", "kind", "handles", "lease", "credit", "message_id", "kafka", "uuid", "5m"]
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS)
NAMES = st.text(max_size=5) | st.sampled_from(WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
KEYS = ["inbox", "dialects", "consumers", "drivers", "uniqueness", "key", "fallback", "table", "names", "naming", "api",
        "package", "python", "migrations", "messages", "broker", "retention", "dead_letters", "mssql"]  # fmt: skip


@settings(deadline=None, max_examples=500, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, min_size=1, max_size=8))
def test_any_values_under_known_keys_are_accepted_or_refused(tmp_path: Path, data: dict[str, Any]) -> None:
    base: dict[str, Any] = {"inbox": "orders", "dialects": ["sqlite"], "consumers": ["credit"]}
    path = tmp_path / "any.yaml"
    path.write_text(json.dumps({**base, **data}), encoding="utf-8")
    try:
        spec.load(path)
    except SpecError as error:
        assert error.findings
