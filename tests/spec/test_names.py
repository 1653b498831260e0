"""Names that the spec leaves open, and names that it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

from inboxgen.model import Dialect, Table
from tests.spec.specs import codes, load

MSSQL = {"dialects": ["mssql"]}


def test_snake_case(tmp_path: Path) -> None:
    assert load(tmp_path).table == Table(
        name="inbox", id="id", consumer="consumer", received_at="received_at", processed_at="processed_at",
        primary_key="pk_inbox", dedup_key="ix_inbox_message_id_consumer",
    )  # fmt: skip


def test_ef_core(tmp_path: Path) -> None:
    inbox = load(tmp_path, naming="ef-core", **MSSQL)
    assert inbox.table == Table(
        name="Inbox", id="Id", consumer="Consumer", received_at="ReceivedUtc", processed_at="ProcessedUtc",
        primary_key="PK_Inbox", dedup_key="IX_Inbox_MessageId_Consumer",
    )  # fmt: skip
    assert inbox.dedup_columns == ("MessageId", "Consumer")


@pytest.mark.parametrize(
    ("naming", "name"),
    [("snake-case", "uq_inbox_message_id_consumer"), ("ef-core", "AK_Inbox_MessageId_Consumer")],
)
def test_the_name_of_an_alternate_key(tmp_path: Path, naming: str, name: str) -> None:
    assert load(tmp_path, naming=naming, uniqueness="alternate-key", **MSSQL).table.dedup_key == name


def test_names_that_we_make_fit_every_database(tmp_path: Path) -> None:
    table = load(tmp_path, table="ä" * 31, key={"a" * 40: "uuid"}).table
    assert table.name == "ä" * 31
    for made in (table.primary_key, table.dedup_key):
        assert len(made.encode()) <= 63
    assert table.dedup_key != load(tmp_path, table="ä" * 31, key={"a" * 41: "uuid"}).table.dedup_key


def test_a_name_that_we_make_has_nothing_to_quote(tmp_path: Path) -> None:
    table = load(tmp_path, table='in "box"', names={"consumer": "who's"}).table
    assert (table.primary_key, table.dedup_key) == ("pk_in_box", "ix_in_box_message_id_who_s")


def test_given_names_win(tmp_path: Path) -> None:
    names = {
        "id": "order", "message_id": "from", "consumer": "user", "received_at": "at", "processed_at": "done",
        "primary_key": "the key", "dedup_key": "once",
    }  # fmt: skip
    inbox = load(tmp_path, names=names, naming="ef-core", **MSSQL)
    assert inbox.table == Table("Inbox", "order", "user", "at", "done", "the key", "once")
    assert [(column.field, column.column) for column in inbox.key] == [("message_id", "from")]


def test_a_schema_and_a_schema_per_tenant(tmp_path: Path) -> None:
    given = load(tmp_path, table={"schema": "messaging"}, dialects=["postgresql", "mysql"]).table
    assert (given.name, given.schema, given.per_tenant) == ("inbox", "messaging", False)
    tenant = load(tmp_path, table={"schema": "per-tenant", "name": "seen"}, dialects=["postgresql"]).table
    assert (tenant.name, tenant.schema, tenant.per_tenant) == ("seen", None, True)


def test_keywords_get_an_underscore_in_python_alone(tmp_path: Path) -> None:
    inbox = load(
        tmp_path,
        key={"from": "string(40)"},
        consumers={"lambda": {"handles": "None"}},
        messages={"None": {"class": "int"}},
    )
    assert (inbox.key[0].field, inbox.key[0].column) == ("from_", "from")
    (consumer,) = inbox.consumers
    assert (consumer.name, consumer.identifier, consumer.stored_name) == ("lambda", "lambda_", "lambda")
    assert consumer.handles is inbox.messages[0]
    assert (inbox.messages[0].name, inbox.messages[0].fields[0].name) == ("None_", "class_")


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("erp-sync", "erp_sync"), ("billing.credit", "billing_credit"), ("CreditAll", "credit_all")],
)
def test_the_identifier_of_a_consumer(tmp_path: Path, name: str, identifier: str) -> None:
    (consumer,) = load(tmp_path, consumers=[name]).consumers
    assert (consumer.identifier, consumer.stored_name) == (identifier, name)


@pytest.mark.parametrize("inbox", ["orders", "orders-eu", "OrdersEu"])
def test_the_package_is_named_after_the_inbox(tmp_path: Path, inbox: str) -> None:
    assert load(tmp_path, inbox=inbox).package.name.isidentifier()
    assert load(tmp_path, inbox=inbox).module.endswith("_inbox")


@pytest.mark.parametrize(
    "module", ["models", "messages", "runtime", "classifier", "guards", "consumers", "handlers", "errors"]
)
def test_a_module_of_the_package_is_no_consumer(tmp_path: Path, module: str) -> None:
    assert codes(tmp_path, consumers=[module]) == ["E302"]


@pytest.mark.parametrize("length", [200, 201])
def test_a_stored_name_is_counted_in_utf_16(tmp_path: Path, length: int) -> None:
    expected = ["E305"] if length > 200 else []
    assert codes(tmp_path, consumers={"a": {"stored_as": "c" * length}}) == expected
    assert codes(tmp_path, consumers={"a": {"stored_as": "😀" * (length // 2) + "c" * (length % 2)}}) == expected


@pytest.mark.parametrize("key", [{"received_at": "uuid"}, {"primary_key": "uuid"}])
def test_a_key_column_cannot_have_a_name_of_ours(tmp_path: Path, key: dict[str, str]) -> None:
    assert "E311" in codes(tmp_path, key=key)


def test_dialects_and_consumers_have_one_order(tmp_path: Path) -> None:
    inbox = load(tmp_path, dialects=["sqlite", "mssql", "postgresql"], consumers=["b", "a"])
    assert inbox.dialects == (Dialect.POSTGRESQL, Dialect.MSSQL, Dialect.SQLITE)
    assert [consumer.name for consumer in inbox.consumers] == ["a", "b"]
