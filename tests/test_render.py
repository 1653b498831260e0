"""Literals and layout: what goes into a template comes out of Python again."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from inboxgen.render import format_python, python_block, python_docstring, python_literal, render
from tests.alembic.projects import make_inbox

TEXTS = st.text(st.characters(codec="utf-8")) | st.text("\"'\\\n ab")


@given(st.recursive(TEXTS | st.binary() | st.integers() | st.booleans() | st.none(), lambda inner: st.lists(inner)))
def test_a_literal_is_its_value(value: object) -> None:
    assert ast.literal_eval(python_literal(value)) == value


@pytest.mark.parametrize("value", [(), ("a",), ("a", 1, ("b",))])
def test_a_tuple_is_a_tuple(value: tuple[object, ...]) -> None:
    assert ast.literal_eval(python_literal(value)) == value


@given(TEXTS)
def test_a_block_is_its_text(text: str) -> None:
    assert ast.literal_eval(python_block(text)) == text


@given(TEXTS)
def test_a_docstring_stays_one(text: str) -> None:
    module = ast.parse(f'"""x\n{python_docstring(text)}\n"""')
    assert ast.get_docstring(module, clean=False) is not None
    assert len(module.body) == 1


def test_lines_stay_lines() -> None:
    assert python_block('CREATE TABLE "Größe" (\n    a\n)') == '"""CREATE TABLE "Größe" (\n    a\n)"""'
    assert python_block("a\u202e\nb") == '"a\\u202e\\nb"'


def test_what_has_no_literal_is_an_error() -> None:
    with pytest.raises(TypeError):
        python_literal(object())


def test_a_name_that_is_missing_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("revision.py.j2", inbox=make_inbox())


@pytest.mark.parametrize("python", [(3, 11), (3, 99)])
def test_a_python_that_black_does_not_know_is_the_newest(python: tuple[int, int]) -> None:
    assert format_python("x = 'a'", python) == 'x = "a"\n'
