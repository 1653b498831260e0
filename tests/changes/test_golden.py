"""What each change leaves: the files that it adds or alters, and no others.

`golden/changes/<case>/2` is what the second spec does to the tree of the first, `settled` what `--settled` does after
it, and `settled_again` what it does once more; `deleted.txt` names the files that go. The record is left out: it holds
a hash of the generator.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changes.cases import CASES
from tests.changes.repositories import Repository
from tests.golden import Golden


@pytest.mark.parametrize("name", CASES)
def test_what_a_change_adds_and_alters(name: str, tmp_path: Path, golden: Golden) -> None:
    case = CASES[name]
    repository = Repository(tmp_path)
    repository.begin(case)
    before = repository.files()
    repository.change(case)
    between = repository.files()
    golden.check(f"changes/{name}/2", difference(before, between))
    for step in ("settled", "settled_again")[: case.settled]:
        assert repository.new(case.specs[1], "--settled").code == 0
        after = repository.files()
        golden.check(f"changes/{name}/{step}", difference(between, after))
        between = after


def difference(before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    found = {path: text for path, text in after.items() if before.get(path) != text and path != "orders.lock"}
    if gone := sorted(before.keys() - after.keys()):
        found["deleted.txt"] = "".join(f"{path}\n" for path in gone)
    return found
