"""Short ways to load a spec in a test."""

from __future__ import annotations

from pathlib import Path

import yaml

from inboxgen import spec
from inboxgen.findings import Finding, SpecError
from inboxgen.model import Inbox

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
REFUSED = sorted((ROOT / "examples" / "refused").glob("*.yaml"))
SMALLEST = {"inbox": "orders", "dialects": ["postgresql", "sqlite"], "consumers": ["credit", "email"]}


def load_text(folder: Path, text: str) -> Inbox:
    path = folder / "orders.yaml"
    path.write_text(text, encoding="utf-8", newline="")
    return spec.load(path)


def load(folder: Path, **changes: object) -> Inbox:
    """The smallest spec with some keys changed; None leaves one out."""
    data = {key: value for key, value in {**SMALLEST, **changes}.items() if value is not None}
    return load_text(folder, yaml.safe_dump(data, allow_unicode=True, sort_keys=False))


def findings(folder: Path, text: str) -> tuple[Finding, ...]:
    try:
        load_text(folder, text)
    except SpecError as error:
        return error.findings
    return ()


def codes(folder: Path, **changes: object) -> list[str]:
    try:
        load(folder, **changes)
    except SpecError as error:
        return [finding.code for finding in error.findings]
    return []
