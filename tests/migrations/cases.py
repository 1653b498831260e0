"""Changes of a spec that a running inbox must live through, each as the spec before it and the spec after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

ENGINES = ("sqlite", "postgresql", "mariadb")
DIALECTS = "[postgresql, mssql, sqlite, mysql, mariadb]"
BOTH = {"credit": "credit", "email": "email"}


@dataclass(frozen=True)
class Case:
    """A change: `before` and `after` are specs; `calls` are each side's consumers, and whose effect each one has.

    `values` is what a message has in each column of its key, as a format of its number `n` and of `third`, its rest by
    three. `table` and `old_table` are the names after and before. On an engine in `stop_first` the old replicas stop
    before the migration, as its order says.
    """

    name: str
    before: str
    after: str
    old_calls: Mapping[str, str] = field(default_factory=lambda: BOTH)
    new_calls: Mapping[str, str] = field(default_factory=lambda: BOTH)
    values: Mapping[str, str] = field(default_factory=lambda: {"message_id": "m{n}"})
    old_table: str = "inbox"
    table: str = "inbox"
    stop_first: tuple[str, ...] = ()
    engines: tuple[str, ...] = ENGINES


def spec(*, key: str = "message_id: string(100)", consumers: str = "[credit, email]", more: str = "") -> str:
    """The text of a spec on all five dialects."""
    return f"inbox: orders\ndialects: {DIALECTS}\nkey: {{{key}}}\nconsumers: {consumers}\n{more}"


PLAIN = spec()
CONSTRAINT = spec(more="uniqueness: alternate-key\n")
TENANT = "message_id: string(100), tenant: {type: string(40), backfill: main}"
WITH_TENANT = {"message_id": "m{n}", "tenant": "main"}

CASES = {
    case.name: case
    for case in (
        Case("index_to_constraint", PLAIN, CONSTRAINT),
        Case("constraint_to_index", CONSTRAINT, PLAIN),
        Case("key_renamed", PLAIN, spec(more="names: {dedup_key: uq_orders}\n")),
        Case("key_column_added", PLAIN, spec(key=TENANT), values=WITH_TENANT),
        Case(
            "key_column_removed",
            spec(key="message_id: string(100), tenant: string(40)"),
            PLAIN,
            values={"message_id": "m{n}", "tenant": "t{third}"},
        ),
        Case("widened", PLAIN, spec(key="message_id: string(200)")),
        Case("widened_by_a_byte", spec(key="message_id: string(40)"), PLAIN),
        Case("narrowed", spec(key="message_id: string(200)"), PLAIN),
        Case(
            "table_renamed",
            PLAIN,
            spec(more="table: {name: orders_inbox, was: inbox}\n"),
            table="orders_inbox",
            stop_first=("sqlite",),
        ),
        Case(
            "consumer_renamed",
            PLAIN,
            spec(consumers="{billing: {stored_as: credit}, email: {}}"),
            new_calls={"billing": "credit", "email": "email"},
        ),
        Case("consumer_added", spec(consumers="[credit]"), PLAIN, old_calls={"credit": "credit"}),
        Case("consumer_removed", PLAIN, spec(consumers="[credit]"), new_calls={"credit": "credit"}),
    )
}
PAIRS = [(name, engine) for name, case in CASES.items() for engine in case.engines]
