"""golden/<example>/ is exactly what `inboxgen new <example>.yaml --init-alembic` leaves in an empty repository."""

from __future__ import annotations

import pytest

from tests.golden import ROOT, Golden
from tests.trees import EXAMPLES, text_files, tree

NOT_AN_EXAMPLE = {"refused", "changes"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_tree_of_an_example(example: str, golden: Golden) -> None:
    golden.check(example, text_files(tree(example)))


def test_every_golden_tree_has_its_example() -> None:
    folders = {path.name for path in ROOT.iterdir() if path.is_dir()} - NOT_AN_EXAMPLE
    assert folders == set(EXAMPLES)
