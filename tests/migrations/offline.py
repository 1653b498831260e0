"""What `alembic upgrade --sql` writes for a case."""

from __future__ import annotations

from collections.abc import Iterator

from tests.migrations.processes import alembic
from tests.migrations.repositories import Release, Repository

DIALECTS = ("postgresql", "mssql", "sqlite", "mysql", "mariadb")
_QUOTE = "$inbox$"


def offline_sql(repository: Repository, dialect: str) -> str:
    """The SQL of all revisions after the old release; raises AssertionError where Alembic cannot write it."""
    return _sql(repository.last, dialect, f"{repository.old.head}:{repository.last.head}")


def first_sql(repository: Repository, dialect: str) -> str:
    """The SQL of the old release."""
    return _sql(repository.old, dialect, repository.old.head)


def _sql(release: Release, dialect: str, revisions: str) -> str:
    status, output = alembic(release.folder, f"{dialect}://", f"upgrade {revisions} --sql")
    assert status == 0, output
    return output


def statements(script: str) -> Iterator[str]:
    """Its statements, each of which ends with a line; a semicolon inside of a dollar quote ends none."""
    lines: list[str] = []
    for line in script.splitlines():
        if line.startswith(("--", "INFO", "Generating")) or not line.strip():
            continue
        lines.append(line)
        text = "\n".join(lines)
        if line.rstrip().endswith(";") and text.count(_QUOTE) % 2 == 0:
            yield text.rstrip().removesuffix(";")
            lines = []
    assert not lines, lines
