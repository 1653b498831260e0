from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inboxgen.findings import RepositoryError
from inboxgen.lock import HEADER, Earlier, Entry, Lock, PendingRevision, format_lock, parse_lock, path_of, sha256
from inboxgen.model import FileKind

DIGEST = sha256("x")
OTHER = sha256("y")

words = st.text(st.characters(min_codepoint=33, exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1)
lines = st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), min_size=1)
digests = st.sampled_from([DIGEST, OTHER])
entries = st.lists(
    st.builds(Entry, words | st.just("a folder/ä.py"), st.sampled_from(FileKind), digests),
    unique_by=lambda entry: entry.path,
).map(lambda found: tuple(sorted(found)))
revisions = st.lists(st.builds(PendingRevision, words, words | st.just("")), unique=True)
locks = st.builds(
    Lock,
    spec=st.lists(lines).map(tuple),
    source=digests | st.just(""),
    generator=digests | st.just(""),
    head=words | st.just(""),
    entries=entries,
    pending=entries,
    pending_revisions=revisions.map(lambda found: tuple(sorted(found))),
    unsettled=st.lists(lines).map(tuple),
    earlier=st.builds(Earlier, words | st.just(""), st.lists(lines).map(tuple), st.lists(lines).map(tuple)),
    absent=digests.map(lambda digest: (f"mariadb {digest}", f"sqlite {digest}")) | st.just(()),
)


@given(locks)
def test_a_record_reads_back_as_it_was(lock: Lock) -> None:
    assert parse_lock(format_lock(lock), "orders.lock") == lock


def test_a_record_is_sorted_by_word_and_path() -> None:
    lock = Lock(
        spec=("b: 1", "a: 2"),
        source=DIGEST,
        generator=OTHER,
        head="abc",
        entries=(
            Entry("z", FileKind.DERIVED, DIGEST),
            Entry("a", FileKind.YOURS, OTHER),
            Entry("b", FileKind.DERIVED, OTHER),
        ),
        pending=(Entry("q", FileKind.FROZEN, DIGEST),),
        pending_revisions=(PendingRevision("r", "p"),),
        unsettled=("c: 1",),
        earlier=Earlier("x", ("d: 1",), ("e: 1",)),
        absent=(f"sqlite {DIGEST}",),
    )
    assert format_lock(lock).splitlines() == [
        HEADER,
        f"absent sqlite {DIGEST}",
        f"derived {OTHER} b",
        f"derived {DIGEST} z",
        f"generator {OTHER}",
        "head abc",
        f"pending frozen {DIGEST} q",
        "pending head r p",
        f"source {DIGEST}",
        f"yours {OTHER} a",
        "spec b: 1",
        "spec a: 2",
        "unsettled c: 1",
        "earlier head x",
        "earlier spec d: 1",
        "earlier unsettled e: 1",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "absent sqlite",
        "derived abc path",
        f"derived {DIGEST}",
        f"derived {DIGEST} ",
        f"mine {DIGEST} path",
        "generator 1.0",
        "head",
        "spec",
        "pending",
        "pending head",
        "earlier",
        "earlier head",
        "earlier abc def",
        "pending head a b c",
        f"pending {DIGEST} path",
    ],
)
def test_a_broken_line_is_refused_with_its_number(line: str) -> None:
    with pytest.raises(RepositoryError) as raised:
        parse_lock(f"{HEADER}\nsource {DIGEST}\n{line}\n", "orders.lock")
    (finding,) = raised.value.findings
    assert (finding.code, finding.place.line, finding.source) == ("R401", 3, line)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "first line"),
        ("head abc\n", "first line"),
        (f"{HEADER}\nhead ab", "cut off"),
        (f"{HEADER}\nhead a\nhead b\n", "twice"),
        (f"{HEADER}\nderived {DIGEST} a\nyours {DIGEST} a\n", "twice"),
    ],
)
def test_a_record_that_is_not_whole_is_refused(text: str, what: str) -> None:
    with pytest.raises(RepositoryError, match=what):
        parse_lock(text, "orders.lock")


def test_every_broken_line_is_told_at_once() -> None:
    with pytest.raises(RepositoryError) as raised:
        parse_lock(f"{HEADER}\nx\ny\n", "orders.lock")
    assert [finding.place.line for finding in raised.value.findings] == [2, 3]


def test_conflict_markers_say_how_to_resolve_and_who_wrote_what() -> None:
    text = (
        f"{HEADER}\n<<<<<<< HEAD\nfrozen {DIGEST} versions/a.py\nhead a\n=======\n"
        f"frozen {DIGEST} versions/b.py\nhead b\n>>>>>>> feature\n"
    )
    with pytest.raises(RepositoryError) as raised:
        parse_lock(text, "orders.lock")
    (finding,) = raised.value.findings
    assert (finding.code, finding.place.line) == ("R402", 2)
    assert "on this branch only: versions/a.py; on the other only: versions/b.py" in finding.why
    assert "git checkout --ours orders.lock" in finding.fix
    assert "inboxgen new" in finding.fix


def test_the_record_lies_beside_the_spec() -> None:
    assert path_of("orders.yaml") == "orders.lock"
    assert path_of("orders.v2.yml") == "orders.v2.lock"
