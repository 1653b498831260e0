"""A handler that was written for another message or another `api:` is reported with both signatures, never edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inboxgen.handlers import UNTYPED, Signature, misfit
from tests.changes.repositories import Repository

SPEC = """\
inbox: orders
dialects: [sqlite]
messages: {Paid: {amount: int}, Sent: {number: int}}
consumers: {credit: {handles: Paid}, email: {}}
"""
SENT = SPEC.replace("handles: Paid", "handles: Sent")
CREDIT = "orders_inbox/handlers/credit.py"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    assert found.new(SPEC, "--init-alembic").code == 0
    return found


def test_it_is_reported_with_both_signatures_and_left_alone(repository: Repository) -> None:
    before = (repository.root / CREDIT).read_bytes()
    answer = repository.new(SENT)
    assert answer.code == 0
    assert "orders_inbox/handlers/credit.py:8:1: stale[S307]" in answer.said
    assert "`def handle(session: Session, message: Paid) -> None`" in answer.said
    assert "`def handle(session: Session, message: Sent) -> None`" in answer.said
    assert (repository.root / CREDIT).read_bytes() == before
    again = repository.new(SENT)
    assert (again.code, "up to date" in again.said, "S307" in again.said) == (0, True, True)


def test_check_and_diff_say_so_until_it_is_mended(repository: Repository) -> None:
    (repository.root / "orders.yaml").write_text(SENT)
    assert "S307" in repository.inboxgen("diff", "orders.yaml").said
    repository.new(SENT)
    answer = repository.inboxgen("check", "orders.yaml", "--format", "json")
    (finding,) = json.loads(answer.said)
    assert (answer.code, finding["code"], finding["path"], finding["line"]) == (1, "S307", CREDIT, 8)
    assert repository.inboxgen("diff", "orders.yaml").code == 1
    assert "S307" in repository.inboxgen("regenerate").said
    handler = repository.root / CREDIT
    handler.write_text(handler.read_text().replace("Paid", "Sent"))
    for verb in ("check", "diff"):
        assert repository.inboxgen(verb, "orders.yaml").code == 0


def test_an_api_that_is_awaited_needs_other_handlers(repository: Repository) -> None:
    answer = repository.new(SPEC + "api: async\n")
    assert answer.code == 0
    assert answer.said.count("stale[S307]") == 2
    assert "async def handle(session: AsyncSession, message: Mapping[str, object]) -> None" in answer.said


FITS = [
    "from ..messages import Paid\ndef handle(session, message: Paid) -> None: ...",
    "from .. import Paid as P\ndef handle(s, m: 'P') -> None: ...",
    "from .. import messages\ndef handle(s, m: messages.Paid) -> None: ...",
    "def handle(*everything): ...",
    "def handle(session, message, retries=3): ...",
    "from shop.credit import handle",
    "from shop.credit import *",
    "def make(): ...\nhandle = make()",
    "try:\n    from shop import handle\nexcept ImportError:\n    pass",
    "import wraps\n@wraps.it\ndef handle(one): ...",
    "from typing import Any\ndef handle(session: Any, message: Any): ...",
    "from shop.payloads import Sent\ndef handle(session, message: Sent): ...",
    "from ..messages import Paid, Sent\ndef handle(session, message: Paid | Sent): ...",
    "def handle(session, message) -> None: ...\nregister(handle)",
    "this is no python",
]
MISFITS = [
    "",
    "def other(session, message): ...",
    "def handle(message): ...",
    "def handle(session, message, retries): ...",
    "def handle(session, message, *, retries): ...",
    "async def handle(session, message): ...",
    "from ..messages import Sent\ndef handle(session, message: Sent): ...",
    "from orders_inbox.messages import Sent as Paid\ndef handle(session, message: Paid): ...",
    "from .. import messages\ndef handle(session, message: messages.Sent): ...",
    "from collections.abc import Mapping\ndef handle(session, message: Mapping[str, object]): ...",
    "def handle(session, message: 'dict[str, object]'): ...",
    "from sqlalchemy.ext.asyncio import AsyncSession\ndef handle(session: AsyncSession, message): ...",
    "from sqlalchemy.ext.asyncio import AsyncSession as Session\ndef handle(session: Session, message): ...",
]


@pytest.mark.parametrize("text", FITS)
def test_what_fits_or_cannot_be_told_is_no_misfit(text: str) -> None:
    assert misfit(text, Signature(False, "Paid")) is None


@pytest.mark.parametrize("text", MISFITS)
def test_what_cannot_be_called_is_one(text: str) -> None:
    assert misfit(text, Signature(False, "Paid")) is not None


def test_a_mapping_is_not_a_message() -> None:
    text = "from ..messages import Paid\ndef handle(session, message: Paid): ..."
    assert misfit(text, Signature(False, UNTYPED)) is not None
    assert misfit("def handle(session, message: dict[str, object]): ...", Signature(False, UNTYPED)) is None
