"""What inboxgen has to say about a spec or a repository: one shape for every error, refusal and warning."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a finding is: a path relative to the spec's folder; line and column count from 1, 0 is the whole file."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One problem: `what` is wrong, `why` it matters, and the `fix` that the reader can apply.

    `code` is stable, and `inboxgen explain CODE` says more. `source` is the line of text at `place`, without its
    line end; a report shows it with a caret under `place.column`.
    """

    place: Place
    code: str
    what: str
    why: str = ""
    fix: str = ""
    source: str = ""


class Refusal(Exception):
    """Work that cannot go on, with every finding at once; the command line turns it into text and an exit code."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(sorted(set(findings)))
        super().__init__("; ".join(f"{finding.place}: {finding.code}: {finding.what}" for finding in self.findings))


class SpecError(Refusal):
    """The spec is wrong or not there: exit 2."""


class RepositoryError(Refusal):
    """The repository is not in a state that inboxgen may write to: exit 3."""
