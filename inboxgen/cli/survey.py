"""Several specs at once: every problem of each, before anything is said or done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inboxgen.cli.workspace import open_workspace, prepare
from inboxgen.findings import Finding, Refusal
from inboxgen.report import Exit, exit_code

if TYPE_CHECKING:
    from inboxgen.model import Inbox
    from inboxgen.plan import Options, Plan


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found: specs that are up to date by hash, plans for the others, and what stands in the way."""

    fresh: tuple[str, ...]
    plans: tuple[tuple[Inbox, Plan], ...]
    refused: tuple[Finding, ...]
    worst: Exit

    @property
    def stale(self) -> tuple[Finding, ...]:
        """Why trees are not what their specs say."""
        return tuple(finding for _, plan in self.plans for finding in plan.stale)

    @property
    def exit_code(self) -> Exit:
        """Refused wins over a bad spec, that over stale."""
        return max(self.worst, Exit.STALE if self.stale else Exit.DONE)


def survey(specs: Iterable[str], options: Options | None = None) -> Survey:
    """Plan every spec; a problem of one hides none of another."""
    fresh: list[str] = []
    plans: list[tuple[Inbox, Plan]] = []
    refused: list[Finding] = []
    worst = Exit.DONE
    for spec in dict.fromkeys(specs):
        try:
            workspace = open_workspace(spec)
            if workspace.fresh:
                fresh.append(spec)
                continue
            inbox, plan = prepare(workspace, options=options)
        except Refusal as error:
            refused += error.findings
            worst = max(worst, exit_code(error))
            continue
        plans.append((inbox, plan))
        refused += plan.refused
        worst = max(worst, Exit.REFUSED if plan.refused else Exit.DONE)
    return Survey(tuple(fresh), tuple(plans), tuple(refused), worst)
