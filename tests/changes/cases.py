"""The changes of a spec that are tested: each a folder of `examples/changes` with numbered specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2] / "examples" / "changes"
ENGINES = ("sqlite", "postgresql", "mariadb")


@dataclass(frozen=True)
class Case:
    """A change: `settled` is how often `new --settled` has a half of it to end, `revision` if there is DDL at all.

    `moves` are the handlers that the user moves, as the refusal says, before the change is made.
    """

    name: str
    settled: int = 0
    revision: bool = True
    engines: tuple[str, ...] = ENGINES
    moves: Mapping[str, str] = field(default_factory=dict)

    @property
    def specs(self) -> tuple[str, ...]:
        """The specs in order."""
        return tuple(path.read_text() for path in sorted((ROOT / self.name).glob("*.yaml")))


CASES = {
    case.name: case
    for case in (
        Case("index_to_alternate_key"),
        Case("alternate_key_to_index"),
        Case("rename_dedup_key"),
        Case("same_name_other_kind"),
        Case("widen_key"),
        Case("narrow_key"),
        Case("ascii_to_string"),
        Case("string_to_ascii"),
        Case("add_key_column", settled=1),
        Case("add_key_column_to_alternate_key", settled=1),
        Case("remove_key_column", settled=1),
        Case("rename_table", settled=1),
        Case("rename_table_with_alternate_key", settled=1),
        Case("rename_columns", settled=1),
        Case("rename_column", settled=2),
        Case("move_to_schema", settled=1, engines=("postgresql",)),
        Case("add_dialect", engines=("mariadb",)),
        Case("remove_dialect", revision=False, engines=("sqlite", "postgresql")),
        Case("add_consumer", revision=False),
        Case("remove_consumer", revision=False),
        Case(
            "rename_consumer",
            revision=False,
            moves={"orders_inbox/handlers/email.py": "orders_inbox/handlers/letters.py"},
        ),
    )
}
