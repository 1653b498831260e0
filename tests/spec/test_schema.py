"""The published JSON Schema and the loader accept and refuse the same specs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from inboxgen import spec
from inboxgen.findings import SpecError
from inboxgen.spec.report import Report
from inboxgen.spec.source import parse
from tests.spec.specs import EXAMPLES, REFUSED

FULL = Path(__file__).with_name("full.yaml")


def data_of(path: Path) -> Any:
    return parse(path.read_text(encoding="utf-8"), Report(path.name))


def codes_of(path: Path) -> set[str]:
    with pytest.raises(SpecError) as raised:
        spec.load(path)
    return {finding.code for finding in raised.value.findings}


SHAPE = [path for path in REFUSED if {code[:2] for code in codes_of(path)} >= {"E2"}]
MEANING = [path for path in REFUSED if {code[:2] for code in codes_of(path)} <= {"E3", "E9"}]


@pytest.fixture(scope="module")
def validator() -> Draft202012Validator:
    return Draft202012Validator(spec.json_schema())


def test_it_is_a_schema_of_the_draft_that_it_names() -> None:
    schema = spec.json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("path", [*EXAMPLES, FULL], ids=lambda path: path.stem)
def test_it_accepts_what_loads(path: Path, validator: Draft202012Validator) -> None:
    assert [error.message for error in validator.iter_errors(data_of(path))] == []


@pytest.mark.parametrize("path", SHAPE, ids=lambda path: path.stem)
def test_it_refuses_what_has_the_wrong_shape(path: Path, validator: Draft202012Validator) -> None:
    assert not validator.is_valid(data_of(path))


@pytest.mark.parametrize("path", MEANING, ids=lambda path: path.stem)
def test_it_leaves_meaning_to_the_loader(path: Path, validator: Draft202012Validator) -> None:
    repeated = codes_of(path) == {"E303"}
    assert validator.is_valid(data_of(path)) is not repeated


def test_no_key_may_be_null(validator: Draft202012Validator) -> None:
    assert '"null"' not in str(spec.json_schema()).replace("'", '"')
