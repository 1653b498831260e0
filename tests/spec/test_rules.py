"""What a sound form may still mean wrong: keys, drivers, retention, leases, references."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from inboxgen import spec
from inboxgen.dialects.drivers import DRIVERS, fitting
from inboxgen.findings import SpecError
from inboxgen.model import Api, Dialect, Fallback, KeyType, Kind, Migrations
from inboxgen.spec.formats import duration, spell
from tests.spec.specs import EXAMPLES, ROOT, codes, findings, load

SERVICE_BUS = {
    "kind": "azure-service-bus", "lock_duration": "5m", "max_deliveries": 10, "time_to_live": "14d",
    "dead_letter_replay": "30d", "publisher_retry": "7d",
}  # fmt: skip
KAFKA = {"kind": "kafka", "time_to_live": "7d", "dead_letter_replay": "0d", "publisher_retry": "1d", "margin": "12h"}


def test_everything_wrong_is_reported_in_one_run(tmp_path: Path) -> None:
    text = (ROOT / "examples/refused/everything_at_once.yaml").read_text()
    assert sorted({finding.code for finding in findings(tmp_path, text)}) == [
        "E203", "E205", "E209", "E301", "E309", "E315", "E322", "E324", "E901",
    ]  # fmt: skip


def test_an_unsound_part_brings_no_findings_about_what_follows_from_it(tmp_path: Path) -> None:
    assert codes(tmp_path, api="threads", drivers=["asyncpg", "aiosqlite"]) == ["E205"]
    assert codes(tmp_path, key={"message_id": "strin(40)"}, names={"message_id": "id2"}) == ["E206"]
    assert codes(tmp_path, dialects=["postgres"], drivers=["psycopg"]) == ["E205"]
    assert codes(tmp_path, consumers={"a": {"handles": "M"}}, messages={"M": {"x": "money"}}) == ["E207"]
    assert codes(tmp_path, key={"topic": "ascii(9)", "offset": "int", "epoch": "ascii(1)", "partition": "bigint"}) == [
        "E206"
    ]


@pytest.mark.parametrize(
    ("dialect", "longest"), [("mssql", 650), ("mysql", 568), ("mariadb", 568), ("postgresql", 475), ("sqlite", 99999)]
)
def test_the_longest_string_key_of_each_dialect(tmp_path: Path, dialect: str, longest: int) -> None:
    assert codes(tmp_path, dialects=[dialect], key={"message_id": f"string({longest})"}) == []
    if dialect != "sqlite":
        assert codes(tmp_path, dialects=[dialect], key={"message_id": f"string({longest + 1})"}) == ["E310"]


@pytest.mark.parametrize(("count", "expected"), [(15, []), (16, ["E310"])])
def test_the_number_of_key_columns(tmp_path: Path, count: int, expected: list[str]) -> None:
    assert codes(tmp_path, key={f"part{n}": "bigint" for n in range(count)}) == expected


@pytest.mark.parametrize(
    ("preset", "types"),
    [
        ("message-id", {"message_id": "uuid"}),
        ("cloudevents", {"source": "string(250)", "event_id": "string(200)"}),
        ("kafka", {"epoch": "ascii(40)", "topic": "ascii(249)", "partition": "bigint", "offset": "bigint"}),
    ],
)
def test_presets(tmp_path: Path, preset: str, types: dict[str, str]) -> None:
    every = load(tmp_path, key=preset, dialects=[str(dialect) for dialect in Dialect])
    assert {column.field: str(column.type) for column in every.key} == types
    assert every.consumer_type == KeyType(Kind.STRING, 200)


@pytest.mark.parametrize(
    "name",
    ["correlation_id", "delivery_tag", "delivery_count", "redelivered", "attempt", "retry_count", "receive_time",
     "lock_token", "receipt_handle", "sqs_message_id", "deliveryTag", "CorrelationId", "offset", "stream_sequence"],
)  # fmt: skip
def test_an_unstable_key_is_refused_with_the_reason(tmp_path: Path, name: str) -> None:
    found = findings(tmp_path, f"inbox: a\ndialects: [sqlite]\nconsumers: [c]\nkey: {{{name}: string(40)}}\n")
    assert [finding.code for finding in found] == ["E309"]
    assert found[0].why and found[0].fix


@pytest.mark.parametrize("length", [287, 288])
def test_the_fallback_needs_room_for_the_coordinates(tmp_path: Path, length: int) -> None:
    changes: dict[str, Any] = {"fallback": "kafka", "broker": {"kind": "kafka"}, "key": {"id_of": f"string({length})"}}
    if length < 288:
        assert codes(tmp_path, **changes) == ["E321"]
        return
    assert load(tmp_path, **changes).fallback == Fallback("kafka", "1")
    changes["broker"]["epoch"] = "10"
    assert codes(tmp_path, **changes) == ["E321"]


@pytest.mark.parametrize("key", [{"id_of": "digest"}, {"a": "string(300)", "b": "bigint"}, "message-id"])
def test_the_fallback_needs_one_string(tmp_path: Path, key: object) -> None:
    assert codes(tmp_path, fallback="kafka", broker={"kind": "kafka"}, key=key) == ["E321"]


def test_every_driver_that_fits_is_the_default(tmp_path: Path) -> None:
    assert load(tmp_path).drivers == ("psycopg", "psycopg2", "pg8000", "sqlite3")
    assert load(tmp_path, api="async").drivers == ("psycopg", "asyncpg", "aiosqlite")
    assert load(tmp_path, api="async", dialects=["mysql", "mssql"]).drivers == ("aiomysql", "asyncmy", "aioodbc")
    assert "mariadb" in load(tmp_path, dialects=["mariadb"]).drivers
    assert "mariadb" not in load(tmp_path, dialects=["mysql"]).drivers
    assert load(tmp_path, drivers=["psycopg"]).drivers == ("psycopg", "sqlite3")


@pytest.mark.parametrize("name", DRIVERS)
def test_sqlalchemy_knows_the_driver_as_the_table_says(name: str) -> None:
    if name == "mssql-python":
        pytest.importorskip("sqlalchemy.dialects.mssql.mssqlpython")
    for dialect, drivername in DRIVERS[name].urls.items():
        for api in DRIVERS[name].apis:
            found = make_url(f"{drivername}://").get_dialect(_is_async=api is Api.ASYNC)
            assert found.is_async is (api is Api.ASYNC)
            assert found.name in (dialect, "mysql")
            assert name in fitting(dialect, api)


def test_the_retention_is_derived(tmp_path: Path) -> None:
    found = load(tmp_path, broker=SERVICE_BUS).retention
    assert found is not None
    assert found.arithmetic == "2 × (5m × 10 + 14d) + 30d + 7d + 1d = 66d 1h 40m"  # noqa: RUF001
    assert found.window == timedelta(days=66, minutes=100)


def test_kafka_has_no_term_for_a_lock(tmp_path: Path) -> None:
    found = load(tmp_path, broker=KAFKA).retention
    assert found is not None
    assert found.arithmetic == "2 × 7d + 0d + 1d + 12h = 15d 12h"  # noqa: RUF001
    assert found.window == timedelta(days=15, hours=12)


@pytest.mark.parametrize(
    ("retention", "expected"),
    [("66d", ["E317"]), ("1585h", ["E317"]), ("1586h", []), ("70d", []), ("99999w", ["E328"])],
)
def test_a_given_retention_is_at_least_the_derived_one(tmp_path: Path, retention: str, expected: list[str]) -> None:
    assert codes(tmp_path, broker=SERVICE_BUS, retention=retention) == expected
    if not expected:
        found = load(tmp_path, broker=SERVICE_BUS, retention=retention).retention
        assert found is not None and found.window == duration(retention)
        assert "66d 1h 40m" in found.arithmetic


def test_a_retention_may_be_given_where_the_broker_gives_none(tmp_path: Path) -> None:
    assert load(tmp_path, broker={"kind": "kafka"}).retention is None
    assert load(tmp_path).retention is None
    found = load(tmp_path, broker={"kind": "kafka", "compacted": True}, retention="30d").retention
    assert found is not None and found.window == timedelta(days=30)


@pytest.mark.parametrize(
    "term", ["lock_duration", "max_deliveries", "time_to_live", "dead_letter_replay", "publisher_retry"]
)
def test_no_term_of_the_retention_may_be_missing(tmp_path: Path, term: str) -> None:
    broker = {key: value for key, value in SERVICE_BUS.items() if key != term}
    (found,) = _refused(tmp_path, broker=broker)
    assert (found.code, term in found.what) == ("E316", True)


def _refused(tmp_path: Path, **changes: object) -> tuple[Any, ...]:
    with pytest.raises(SpecError) as raised:
        load(tmp_path, **changes)
    return tuple(finding for finding in raised.value.findings if finding.code != "E901")


def test_a_huge_retention_overflows_nothing(tmp_path: Path) -> None:
    broker = {**SERVICE_BUS, "lock_duration": "999999w", "max_deliveries": 10_000, "time_to_live": "999999w"}
    assert codes(tmp_path, broker=broker) == ["E328"]


@pytest.mark.parametrize(("lease", "expected"), [("240s", []), ("241s", ["E319"]), ("4m", []), ("0s", ["E329"])])
def test_a_lease_is_at_most_four_fifths_of_the_lock(tmp_path: Path, lease: str, expected: list[str]) -> None:
    consumers = {"email": {"effect": "external", "lease": lease}}
    found = _refused(tmp_path, consumers=consumers, broker={"kind": "rabbitmq", "lock_duration": "5m"})
    assert [finding.code for finding in found] == expected
    if lease == "241s":
        assert "0.8 × 5m = 4m" in found[0].why  # noqa: RUF001


@pytest.mark.parametrize("text", ["1s", "90m", "1d", "36h", "2w", "0d"])
def test_durations(text: str) -> None:
    assert sum((duration(part) for part in spell(duration(text)).split()), timedelta()) == duration(text)


def test_migrations(tmp_path: Path) -> None:
    assert load(tmp_path).migrations == Migrations()
    assert load(tmp_path, migrations="none").migrations == Migrations(enabled=False)
    given = load(tmp_path, migrations={"alembic": "db/alembic.ini", "branch": "messaging"}).migrations
    assert given == Migrations(True, "db/alembic.ini", "messaging")


@pytest.mark.parametrize(
    "path", ["", "/", "a//b", "a/", "./a", "C:/a", "~/a", "a b", "a/../b", "golden/orders", "json", "9a", ".a"]
)
def test_paths_that_are_no_package(tmp_path: Path, path: str) -> None:
    assert codes(tmp_path, package=path) in (["E324"], ["E211"])


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.20", "3.99"])
def test_versions_of_python(tmp_path: Path, python: str) -> None:
    assert ".".join(map(str, load(tmp_path, python=python).python)) == python


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_normal_form_rebuilds_the_inbox(path: Path) -> None:
    inbox = spec.load(path)
    lines = spec.normal_form(inbox)
    assert list(lines) == sorted(set(lines))
    assert all("\n" not in line and line.partition("=")[2] for line in lines)
    assert spec.from_normal_form(reversed(lines)) == inbox


def test_the_normal_form_is_the_same_for_every_way_to_write_a_spec(tmp_path: Path) -> None:
    listed = load(tmp_path, consumers=["b", "a"], dialects=["sqlite", "postgresql"])
    mapped = load(
        tmp_path, consumers={"a": {"stored_as": "a"}, "b": {}}, key="message-id", api="sync", table={"name": "inbox"}
    )
    assert spec.normal_form(listed) == spec.normal_form(mapped)
    assert spec.normal_form(listed) != spec.normal_form(load(tmp_path, consumers=["a", "c"]))


def test_the_order_of_key_columns_has_a_meaning(tmp_path: Path) -> None:
    one = load(tmp_path, key={"a": "uuid", "b": "bigint"})
    other = load(tmp_path, key={"b": "bigint", "a": "uuid"})
    assert spec.normal_form(one) != spec.normal_form(other)


def test_a_line_of_a_newer_version_is_not_ignored() -> None:
    lines = spec.normal_form(spec.load(EXAMPLES[0]))
    with pytest.raises(ValueError, match="partitions"):
        spec.from_normal_form((*lines, "partitions=4"))


@pytest.mark.parametrize("lines", [["nonsense"], ["name=orders"], ['name="orders"'], ['unknown="x"'], []])
def test_what_is_no_normal_form(lines: list[str]) -> None:
    with pytest.raises(ValueError):
        spec.from_normal_form(tuple(lines))
