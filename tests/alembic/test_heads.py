"""Where a revision of ours belongs among the user's."""

from __future__ import annotations

import pytest

from inboxgen.findings import RepositoryError
from inboxgen.revisions import AlembicEnvironment, Revision


def environment(lines: dict[str, str], labels: dict[str, str] | None = None) -> AlembicEnvironment:
    """`lines` maps each revision to its parents, `labels` some of them to a branch label."""
    revisions = {
        name: Revision(
            name, tuple(parents.split()), tuple((labels or {}).get(name, "").split()), (), f"m/{name[0]}/{name}.py"
        )
        for name, parents in lines.items()
    }
    return AlembicEnvironment("alembic.ini", "m", ("m/u", "m/o"), revisions)


TWO_HEADS = environment({"u1": "", "u2": "u1", "u3": "u1"}, {"u3": "messaging"})


def code(error: pytest.ExceptionInfo[RepositoryError]) -> str:
    (finding,) = error.value.findings
    assert finding.fix
    return finding.code


@pytest.mark.parametrize(
    ("lines", "parent"),
    [
        ({}, None),
        ({"u1": ""}, "u1"),
        ({"u1": "", "u2": "u1"}, "u2"),
        ({"u1": "", "u2": "u1", "u3": "u1", "u4": "u2 u3"}, "u4"),
    ],
)
def test_the_first_follows_the_only_head(lines: dict[str, str], parent: str | None) -> None:
    assert environment(lines).first_parent() == parent


def test_two_heads_are_refused_and_both_named() -> None:
    with pytest.raises(RepositoryError, match="u2, u3") as error:
        TWO_HEADS.first_parent()
    assert code(error) == "R510"
    assert "--after u2" in error.value.findings[0].fix


@pytest.mark.parametrize("after", ["u2", "u3"])
def test_after_names_one_of_them(after: str) -> None:
    assert TWO_HEADS.first_parent(after=after) == after


def test_after_may_be_shortened_where_that_is_clear() -> None:
    long = environment({"abcdef": "", "abxyz": ""})
    assert long.first_parent(after="abc") == "abcdef"
    with pytest.raises(RepositoryError, match="several") as error:
        long.first_parent(after="ab")
    assert code(error) == "R511"


@pytest.mark.parametrize(("after", "expected"), [("nope", "R511"), ("u1", "R512")])
def test_after_must_be_a_head(after: str, expected: str) -> None:
    with pytest.raises(RepositoryError) as error:
        TWO_HEADS.first_parent(after=after)
    assert code(error) == expected


def test_a_branch_decides_between_heads() -> None:
    assert TWO_HEADS.first_parent(branch="messaging") == "u3"
    grown = environment({"u1": "", "u2": "u1", "u3": "u1", "u4": "u3"}, {"u3": "messaging"})
    assert grown.first_parent(branch="messaging") == "u4"


def test_a_branch_that_nobody_has_begins_a_line() -> None:
    assert TWO_HEADS.first_parent(branch="inbox") is None


def test_a_later_one_follows_the_head_above_our_last() -> None:
    assert environment({"u1": "", "o1": "u1"}).head_after("o1") == "o1"
    assert environment({"u1": "", "o1": "u1", "u2": "o1"}).head_after("o1") == "u2"
    assert environment({"u1": "", "o1": "u1", "u2": "o1", "u3": "u1"}).head_after("o1") == "u2"
    assert environment({"u1": "", "o1": "u1", "u2": "u1", "u3": "o1 u2"}).head_after("o1") == "u3"
    beside = environment({"o1": "", "o2": "o1", "u1": "o1"})
    assert beside.head_after("o2", ours=["o1", "o2"]) == "o2"


def test_ours_that_is_gone() -> None:
    for last, ours in (("o1", ["o1"]), ("o2", ["o1", "o2"])):
        with pytest.raises(RepositoryError) as error:
            environment({"u1": "", "o2": "u1"}).head_after(last, ours=ours)
        assert code(error) == "R513"


@pytest.mark.parametrize(
    "lines",
    [
        {"o1": "", "o2": "o1", "o3": "o1"},
        {"o1": "", "u1": "o1", "u2": "o1"},
        {"u1": "", "o1": "u1", "o2": "u1", "o3": "o2"},
    ],
)
def test_our_line_has_forked(lines: dict[str, str]) -> None:
    ours = [name for name in lines if name.startswith("o")]
    with pytest.raises(RepositoryError) as error:
        environment(lines).head_after(ours[-1], ours=ours)
    assert code(error) == "R514"


def test_a_merge_heals_a_fork() -> None:
    healed = environment({"o1": "", "o2": "o1", "o3": "o1", "u2": "o2 o3"})
    assert healed.head_after("o2", ours=["o1", "o2", "o3"]) == "u2"


def test_the_folder_is_the_parents() -> None:
    both = environment({"u1": "", "o1": "u1"})
    assert [both.folder_after(parent) for parent in (None, "u1", "o1")] == ["m/u", "m/u", "m/o"]
