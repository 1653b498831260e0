"""The changes of a spec, and what replicas on both sides of each one have to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.changes import cases

ENGINES = cases.ENGINES
OWN_COLUMNS = ("consumer", "received_at", "processed_at")
BOTH = {"credit": "credit", "email": "email"}


@dataclass(frozen=True)
class Case:
    """A change: `before` and `after` are specs; `calls` are each side's consumers, and whose effect each one has.

    `values` is what a message has in each column of its key: a kind and a format of its number `n` and of `third`, its
    rest by three. `tables` are the table's names in one release after another, with its schema, as far as they differ.
    On an engine in `stop_first` replicas stop before the migration that gives the table another name, as its order
    says. `moves` are handlers that the user moves, and `first` is what the owner does beforehand. `own_columns` are
    those for the consumer and both times afterwards. `settled` is how often `new --settled` writes a release.
    """

    name: str
    before: str
    after: str
    old_calls: Mapping[str, str] = field(default_factory=lambda: BOTH)
    new_calls: Mapping[str, str] = field(default_factory=lambda: BOTH)
    values: Mapping[str, str] = field(default_factory=lambda: {"message_id": "string:m{n}"})
    tables: tuple[str, ...] = ("inbox",)
    stop_first: tuple[str, ...] = ()
    engines: tuple[str, ...] = ENGINES
    moves: Mapping[str, str] = field(default_factory=dict)
    first: str = ""
    own_columns: tuple[str, str, str] = OWN_COLUMNS
    settled: int = 0

    def table(self, release: int) -> str:
        """The table's name in a release, counted from the old one."""
        return self.tables[: release + 1][-1]


RENAMED = {"tables": ("inbox", "orders_markers"), "stop_first": ("sqlite",)}
EITHER = {"message_id": "string:m{n}", "event_id": "string:m{n}"}
KNOWN: Mapping[str, Mapping[str, Any]] = {
    "add_key_column": {"values": {"message_id": "string:m{n}", "tenant": "string:main"}},
    "add_key_column_to_alternate_key": {"values": {"message_id": "uuid:{n}", "tenant": "bigint:-1"}},
    "remove_key_column": {"values": {"message_id": "string:m{n}", "tenant": "uuid:{third}"}},
    "rename_table": RENAMED,
    "rename_table_with_alternate_key": RENAMED,
    "rename_columns": {
        **RENAMED,
        "values": {**EITHER, "tenant": "bigint:7"},
        "own_columns": ("handler", "received_at", "done_at"),
    },
    "rename_column": {"tables": ("inbox", "inbox_next", "inbox"), "stop_first": ("sqlite",), "values": EITHER},
    "move_to_schema": {"tables": ("inbox", "messaging.inbox"), "first": "CREATE SCHEMA messaging"},
    "add_consumer": {"new_calls": {**BOTH, "erp_sync": "erp-sync"}},
    "remove_consumer": {"new_calls": {"credit": "credit"}},
    "rename_consumer": {"new_calls": {"credit": "credit", "letters": "email"}},
}


def _case(case: cases.Case, known: Mapping[str, Any]) -> Case:
    before, after = case.specs
    return Case(case.name, before, after, engines=case.engines, moves=case.moves, settled=case.settled, **known)


# Not here: a dialect that is added has no old replicas.
CASES = {name: _case(case, KNOWN.get(name, {})) for name, case in cases.CASES.items() if name != "add_dialect"}
# The length of a text takes one byte up to 255 bytes and two from there on, and the table is copied in between.
CASES["widen_key_by_a_byte"] = Case(
    "widen_key_by_a_byte", CASES["widen_key"].before.replace("string(100)", "string(40)"), CASES["widen_key"].before
)
PAIRS = [(name, engine) for name, case in CASES.items() for engine in case.engines]
CHANGED = [(name, engine) for name, engine in PAIRS if name not in cases.CASES or cases.CASES[name].revision]
