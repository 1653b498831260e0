"""Which change a pair of specs is, and which pairs are refused, with what the user can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from inboxgen.changes import detect, refuse, removed_consumers, stage
from inboxgen.changes.detect import ROWS
from inboxgen.changes.refusals import CODES
from inboxgen.dialects.literals import empty
from inboxgen.explain import codes
from inboxgen.findings import RepositoryError
from inboxgen.model import Inbox
from inboxgen.spec import from_normal_form, load, normal_form
from tests.changes.cases import CASES
from tests.changes.repositories import Repository

HEAD = "inbox: orders\ndialects: [postgresql, sqlite, mariadb]\n"
SERVERS = "inbox: orders\ndialects: [postgresql, mariadb]\n"
TAIL = "consumers: [credit, email]\n"
KEY = "key: {message_id: string(100)}\n"
RENAMED = "key: {event_id: {type: string(100), was: message_id}}\n"
MOVED = "table: {name: markers, was: inbox}\n"


def inbox(folder: Path, text: str) -> Inbox:
    path = folder / "orders.yaml"
    path.write_text(text)
    return load(path)


REFUSED = {
    "R601": (HEAD + KEY + TAIL, HEAD + "uniqueness: alternate-key\nkey: {message_id: string(200)}\n" + TAIL),
    "R605": (HEAD + TAIL, HEAD + "table: markers\n" + TAIL),
    "R606": (HEAD + KEY + TAIL, HEAD + "key: {message_id: string(100), tenant: uuid}\n" + TAIL),
    "R607": (
        HEAD + "names: {dedup_key: once}\n" + KEY + TAIL,
        HEAD
        + "names: {dedup_key: once}\nkey: {message_id: string(100), tenant: {type: bigint, backfill: '0'}}\n"
        + TAIL,
    ),
    "R608": (HEAD + KEY + TAIL, HEAD + "key: {message_id: uuid}\n" + TAIL),
    "R609": (
        HEAD + "key: {a: uuid, b: uuid}\n" + TAIL,
        HEAD + "key: {b: uuid, a: uuid}\n" + TAIL,
    ),
    "R610": (HEAD + KEY + TAIL, HEAD + "key: {event_id: string(100)}\n" + TAIL),
    "R611": (HEAD + KEY + TAIL, HEAD + "naming: ef-core\n" + KEY + TAIL),
    "R612": (HEAD + TAIL, HEAD.replace("orders", "sales") + TAIL),
    "R618": (HEAD + KEY + TAIL, HEAD + KEY + "names: {received_at: processed_at, processed_at: done}\n" + TAIL),
    "R602": (HEAD + KEY + TAIL, HEAD + RENAMED + TAIL),
    "R614": (HEAD + TAIL, HEAD + "names: {primary_key: pk}\n" + TAIL),
    "R615": (SERVERS + "table: {schema: messaging}\n" + TAIL, SERVERS + TAIL),
}


@pytest.mark.parametrize("code", REFUSED)
def test_a_change_that_is_not_made(code: str, tmp_path: Path) -> None:
    old, new = (inbox(tmp_path, text) for text in REFUSED[code])
    with pytest.raises(RepositoryError) as raised:
        refuse(old, new)
    assert code in {finding.code for finding in raised.value.findings}
    assert all(finding.why and finding.fix for finding in raised.value.findings)


def test_every_refusal_is_explained() -> None:
    assert set(CODES) <= set(codes())


@pytest.mark.parametrize("name", CASES)
def test_a_case_is_one_change(name: str, tmp_path: Path) -> None:
    old, spec = (inbox(tmp_path, text) for text in CASES[name].specs)
    new = stage(old, spec)
    refuse(old, new)
    change = detect(old, new)
    assert bool(change and change.expand) == CASES[name].revision
    for _ in range(CASES[name].settled):
        assert change and change.contract
        change = change.following
    assert not (change and change.contract)


def test_every_row_is_covered(tmp_path: Path) -> None:
    specs = [case.specs for case in CASES.values()] + list(REFUSED.values())
    pairs = [tuple(inbox(tmp_path, text) for text in pair) for pair in specs]
    unused = [row.what for row in ROWS if not any(row.applies(old, new) for old, new in pairs)]
    assert not unused


@pytest.mark.parametrize(
    "change",
    [
        {"package": PurePosixPath("src/orders_inbox")},
        {"python": (3, 12)},
        {"drivers": ("psycopg",)},
        {"consumers": ()},
    ],
    ids=str,
)
def test_what_is_no_change_of_the_schema(change: dict[str, object], tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + TAIL)
    new = replace(old, **change)  # type: ignore[arg-type]
    assert detect(old, new) is None


def test_a_field_may_have_another_name_in_python(tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + KEY + TAIL)
    new = inbox(tmp_path, HEAD + "key: {event_id: string(100)}\nnames: {event_id: message_id}\n" + TAIL)
    refuse(old, new)
    assert detect(old, new) is None


def test_another_naming_that_keeps_every_name_but_the_primary_key_s(tmp_path: Path) -> None:
    own = ("id", "consumer", "received_at", "processed_at", "message_id")
    names = ", ".join(f"{name}: {name}" for name in own) + ", dedup_key: ix_inbox_message_id_consumer"
    spec = HEAD + KEY + f"naming: ef-core\ntable: inbox\nnames: {{{names}}}\n" + TAIL
    with pytest.raises(RepositoryError, match="R614"):
        refuse(inbox(tmp_path, HEAD + KEY + TAIL), inbox(tmp_path, spec))
    same = inbox(tmp_path, spec.replace("dedup_key:", "primary_key: pk_inbox, dedup_key:"))
    refuse(inbox(tmp_path, HEAD + KEY + TAIL), same)


TWO = "key: {a: string(40), b: string(40)}\n"
CROSSED = {
    "times": (KEY, KEY + "names: {received_at: processed_at, processed_at: received_at}\n"),
    "a chain": (KEY, KEY + "names: {received_at: processed_at, processed_at: finished_at}\n"),
    "an own column's name": (
        KEY,
        "key: {e: {type: string(100), was: message_id}}\nnames: {e: received_at, received_at: f}\n",
    ),
    "fields": (TWO, "key: {b: string(40), a: string(40)}\nnames: {a: b, b: a}\n"),
    "a field in place of one": (TWO, "key: {b: string(40), c: string(40)}\nnames: {b: a, c: b}\n"),
}


@pytest.mark.parametrize("place", ["", MOVED], ids=["alone", "with the table"])
@pytest.mark.parametrize("name", CROSSED)
def test_a_name_does_not_pass_to_another_column(name: str, place: str, tmp_path: Path) -> None:
    before, after = CROSSED[name]
    old, new = inbox(tmp_path, HEAD + before + TAIL), inbox(tmp_path, HEAD + after + place + TAIL)
    with pytest.raises(RepositoryError, match="R618"):
        refuse(old, stage(old, new))


@pytest.mark.parametrize("change", [MOVED + KEY, RENAMED], ids=["of the table", "of a column"])
def test_another_name_and_another_kind_of_key(change: str, tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + KEY + TAIL)
    new = inbox(tmp_path, HEAD + change + "uniqueness: alternate-key\n" + TAIL)
    with pytest.raises(RepositoryError, match="R601"):
        refuse(old, stage(old, new))


@pytest.mark.parametrize("place", ["", MOVED], ids=["alone", "with its table"])
def test_a_column_is_renamed(place: str, tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + KEY + TAIL)
    spec = inbox(tmp_path, HEAD + RENAMED + place + TAIL)
    new = stage(old, spec)
    assert (new == spec) == bool(place)
    refuse(old, new)
    change = detect(old, new)
    assert change and change.expand and change.contract
    # Said again later, it means nothing any more.
    assert detect(new, stage(new, spec)) is None
    assert stage(spec, spec) == spec


def test_a_column_is_renamed_while_its_field_keeps_its_name(tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + KEY + TAIL)
    new = stage(old, inbox(tmp_path, HEAD + KEY + "names: {message_id: MessageId}\n" + TAIL))
    refuse(old, new)
    change = detect(old, new)
    assert change and change.contract and new.table.own_name == "inbox"


def test_a_former_name_that_is_a_word_of_python(tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + "key: {from: string(40), message_id: string(40)}\n" + TAIL)
    spec = HEAD + "key: {sender: {type: string(40), was: from}, message_id: string(40)}\n" + MOVED + TAIL
    refuse(old, inbox(tmp_path, spec))


def test_a_former_name_is_known_to_the_new_spec_alone(tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + RENAMED + TAIL)
    new = inbox(tmp_path, HEAD + KEY + MOVED + TAIL)
    with pytest.raises(RepositoryError, match="R610"):
        refuse(old, new)


def test_a_column_that_is_renamed_is_not_another_one(tmp_path: Path) -> None:
    old = inbox(tmp_path, HEAD + KEY + TAIL)
    for text in (HEAD + "key: {event_id: string(100)}\n" + MOVED, HEAD + RENAMED.replace("100", "200") + MOVED):
        with pytest.raises(RepositoryError, match=r"R610|R601"):
            refuse(old, inbox(tmp_path, text + TAIL))


def test_what_an_unsettled_change_leaves(tmp_path: Path) -> None:
    old, new = (inbox(tmp_path, text) for text in CASES["remove_key_column"].specs)
    change = detect(old, new)
    assert change
    between = change.between
    assert between.leftover and between.leftover.key == old.dedup and between.leftover.held
    assert [(each.column, each.backfill) for each in between.unused_columns] == [("tenant", empty(old.key[1].type))]
    # What the old, wider key refuses, the new one would refuse too.
    assert between.known_keys == (new.dedup, old.dedup)


def test_what_a_narrower_key_refuses_may_be_another_message(tmp_path: Path) -> None:
    old, new = (inbox(tmp_path, text) for text in CASES["add_key_column"].specs)
    change = detect(old, new)
    assert change and change.between.leftover
    assert change.between.known_keys == (new.dedup,)


CONSUMERS = {
    "R603": ("[credit, email]", "[credit, letters]"),
    "R604": ("[credit, email]", "{credit: {}, email: {stored_as: letters}}"),
}


@pytest.mark.parametrize("code", CONSUMERS)
def test_a_stored_name_never_changes(code: str, tmp_path: Path) -> None:
    old, new = (inbox(tmp_path, HEAD + f"consumers: {text}\n") for text in CONSUMERS[code])
    with pytest.raises(RepositoryError) as raised:
        removed_consumers(old, new)
    assert [finding.code for finding in raised.value.findings] == [code]
    assert "stored_as: email" in raised.value.findings[0].fix


def test_a_consumer_that_is_gone_leaves_its_markers(tmp_path: Path) -> None:
    old, new = (inbox(tmp_path, text) for text in CASES["remove_consumer"].specs)
    (said,) = removed_consumers(old, new)
    assert "the markers of email stay in inbox" in said
    assert removed_consumers(new, old) == ()


def test_a_change_is_settled_before_the_next(tmp_path: Path) -> None:
    case = CASES["add_key_column"]
    repository = Repository(tmp_path)
    repository.begin(case)
    made = repository.change(case)
    assert "when no old replica is left: inboxgen new orders.yaml --settled" in made.said
    before = repository.files()
    further = case.specs[1].replace("string(100)", "string(200)")
    for arguments in ((), ("--settled",)):
        refused = repository.new(further, *arguments)
        assert refused.code == 3
        assert "R602" in refused.said and "inboxgen new orders.yaml --settled" in refused.said
    (tmp_path / "orders.yaml").write_text(case.specs[1])
    assert repository.files() == before


def test_a_change_of_names_alone_needs_no_settling(tmp_path: Path) -> None:
    case = CASES["index_to_alternate_key"]
    repository = Repository(tmp_path)
    repository.begin(case)
    repository.change(case)
    assert '"ix_inbox_message_id_consumer"' in repository.files()["orders_inbox/errors/postgresql.py"]
    again = repository.new(case.specs[1].replace("string(100)", "string(200)"))
    assert again.code == 0, again.said
    assert "ix_inbox_message_id_consumer" not in repository.files()["orders_inbox/errors/postgresql.py"]
    scripts = sorted(path.rpartition("/")[2][:4] for path in repository.files() if "/sqlite/0" in path)
    assert scripts == ["0001", "0001", "0002", "0002", "0003", "0003"]


def test_a_dialect_that_comes_back(tmp_path: Path) -> None:
    case = CASES["remove_dialect"]
    repository = Repository(tmp_path)
    repository.begin(case)
    repository.change(case)
    assert repository.new(case.specs[0]).code == 0  # nothing was migrated meanwhile
    assert not any("/mariadb/0002" in path for path in repository.files())
    wide = "string(100)", "string(200)"
    assert repository.new(case.specs[1].replace(*wide)).code == 0
    refused = repository.new(case.specs[0].replace(*wide))
    assert refused.code == 3
    assert "R613" in refused.said


def test_a_dialect_that_comes_back_before_the_end_of_the_change_that_it_has(tmp_path: Path) -> None:
    case = CASES["add_key_column"]
    repository = Repository(tmp_path)
    repository.begin(case)
    repository.change(case)
    before = repository.files()
    assert repository.new(case.specs[1].replace(", sqlite", "")).code == 0
    assert repository.new(case.specs[1]).code == 0
    assert repository.files() == before
    assert repository.new(case.specs[1].replace(", sqlite", "")).code == 0
    assert repository.new(case.specs[1].replace(", sqlite", ""), "--settled").code == 0
    assert "R613" in repository.new(case.specs[1]).said


def test_a_dialect_that_missed_the_end_of_a_rename(tmp_path: Path) -> None:
    """Its tables are as those of the others, and the old name is still there."""
    case = CASES["rename_table"]
    repository = Repository(tmp_path)
    repository.begin(case)
    repository.change(case)
    without = case.specs[1].replace(", mariadb", "")
    assert repository.new(without).code == 0
    assert repository.new(without, "--settled").code == 0
    refused = repository.new(case.specs[1])
    assert (refused.code, "R613" in refused.said) == (3, True)


ASCII = "key: {message_id: ascii(40)}\n"


def test_a_dialect_that_missed_a_change_without_ddl_elsewhere(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    both, one = ("inbox: orders\ndialects: [postgresql, mariadb]\n", "inbox: orders\ndialects: [postgresql]\n")
    assert repository.new(both + ASCII + TAIL, "--init-alembic").code == 0
    assert repository.new(one + ASCII + TAIL).code == 0
    assert repository.new(one + ASCII.replace("ascii", "string") + TAIL).code == 0
    refused = repository.new(both + ASCII.replace("ascii", "string") + TAIL)
    assert (refused.code, "R613" in refused.said) == (3, True)
    assert repository.new(one + ASCII + TAIL).code == 0
    assert repository.new(both + ASCII + TAIL).code == 0


def test_a_dialect_that_comes_back_after_an_end_that_was_none_for_it(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    both, one = ("inbox: orders\ndialects: [postgresql, sqlite]\n", "inbox: orders\ndialects: [postgresql]\n")
    assert repository.new(both + KEY + TAIL, "--init-alembic").code == 0
    assert repository.new(both + KEY + MOVED + TAIL).code == 0
    assert repository.new(both + KEY + MOVED + TAIL, "--settled").code == 0
    assert repository.new(one + KEY + MOVED + TAIL).code == 0
    said = repository.new(both + KEY + MOVED + TAIL)
    assert said.code == 0, said.said
    assert not any("/0004" in path for path in repository.files())


def test_a_removed_consumers_handler_is_reported(tmp_path: Path) -> None:
    case = CASES["remove_consumer"]
    repository = Repository(tmp_path)
    repository.begin(case)
    made = repository.change(case)
    assert "orders_inbox/handlers/email.py is no longer called" in made.said
    assert "the markers of email stay" in made.said
    assert (tmp_path / "orders_inbox/handlers/email.py").is_file()


def test_a_renamed_consumers_handler_must_be_moved(tmp_path: Path) -> None:
    case = CASES["rename_consumer"]
    repository = Repository(tmp_path)
    repository.begin(case)
    refused = repository.new(case.specs[1])
    assert refused.code == 3
    assert "git mv orders_inbox/handlers/email.py orders_inbox/handlers/letters.py" in refused.said


def test_the_normal_form_keeps_a_backfill(tmp_path: Path) -> None:
    new = inbox(tmp_path, CASES["add_key_column"].specs[1])
    assert new.key[1].backfill == "main"
    assert from_normal_form(normal_form(new)) == new


def test_without_alembic_the_script_of_the_change_is_named(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    text = "inbox: orders\ndialects: [sqlite]\nmigrations: none\n" + TAIL
    assert "apply golden/orders/sqlite/schema.sql to the database" in repository.new(text + KEY).said
    said = repository.new(text + KEY.replace("100", "200")).said
    (made,) = (path for path in repository.files() if "/0002" in path and not path.endswith(".down.sql"))
    assert f"apply {made} to the database" in said
