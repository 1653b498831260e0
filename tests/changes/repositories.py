"""A repository that goes from one spec of a case to the next."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, create_engine, text

from inboxgen.cli import run
from inboxgen.model import Dialect, Inbox, Kind
from inboxgen.schema import build_table
from inboxgen.spec import load
from tests.alembic.projects import Ran, alembic
from tests.changes.cases import Case

SPEC = "orders.yaml"
ROWS = 2_000


@dataclass(frozen=True)
class Answer:
    """What a run of the command line left."""

    code: int
    said: str


@dataclass(frozen=True)
class Repository:
    """A folder with a spec and what was generated from it."""

    root: Path

    def new(self, spec: str, *arguments: str) -> Answer:
        """`inboxgen new` for the text of a spec."""
        (self.root / SPEC).write_text(spec)
        return self.inboxgen("new", SPEC, *arguments)

    def inboxgen(self, *arguments: str) -> Answer:
        """The command line, in this process."""
        said = io.StringIO()
        with contextlib.chdir(self.root), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = run(list(arguments))
        return Answer(code, said.getvalue())

    def begin(self, case: Case) -> None:
        """Everything for the first spec of a case."""
        made = self.new(case.specs[0], "--init-alembic")
        assert made.code == 0, made.said

    def change(self, case: Case) -> Answer:
        """The second spec of a case, after the user has done their part."""
        for before, after in case.moves.items():
            (self.root / before).rename(self.root / after)
        made = self.new(case.specs[1])
        assert made.code == 0, made.said
        return made

    def alembic(self, url: URL, *commands: str) -> Ran:
        """Alembic's command lines, one after another in one process."""
        return alembic(self.root, *commands, env={"DATABASE_URL": url.render_as_string(hide_password=False)})

    def inbox(self) -> Inbox:
        """What the spec describes."""
        return load(self.root / SPEC)

    def files(self) -> dict[str, str]:
        """Every file, path to text."""
        found = (path for path in self.root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(self.root).as_posix(): path.read_text() for path in found}


def fill(url: URL, inbox: Inbox, rows: int = ROWS, *, age: str = "2020-01-01 00:00:00") -> None:
    """Markers of old messages, two consumers for each, as the runtime would have stored them."""
    dialect = Dialect(url.get_backend_name())
    table = build_table(inbox, dialect)
    engine = create_engine(url)
    with engine.begin() as connection:
        dbapi = connection.connection.dbapi_connection
        assert dbapi is not None
        names = [column.name for column in table.columns if column.name != inbox.table.id]
        quote = connection.dialect.identifier_preparer.quote_identifier
        mark = "?" if dialect is Dialect.SQLITE else "%s"
        qualified = ".".join(quote(name) for name in (inbox.table.schema, inbox.table.name) if name)
        statement = (
            f"INSERT INTO {qualified} ({', '.join(map(quote, names))}) VALUES ({', '.join([mark] * len(names))})"
        )
        values = [
            (*_key(inbox, number // 2, dialect), ("credit", "email")[number % 2], age, age) for number in range(rows)
        ]
        dbapi.cursor().executemany(statement, values)
    engine.dispose()


def _key(inbox: Inbox, number: int, dialect: Dialect) -> list[object]:
    found: list[object] = []
    for column in inbox.key:
        match column.type.kind:
            case Kind.BIGINT:
                found.append(number)
            case Kind.UUID:
                digits = f"{number + 1:032x}"
                found.append(bytes.fromhex(digits) if dialect is Dialect.MARIADB else digits)
            case _:
                found.append(f"m{number}")
    return found


def execute(url: URL, *statements: str) -> None:
    """Send statements, in one transaction."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def count(url: URL, table: str, where: str = "1 = 1") -> int:
    """How many rows there are."""
    engine = create_engine(url)
    with engine.connect() as connection:
        found = connection.scalar(text(f"SELECT COUNT(*) FROM {table} WHERE {where}"))
    engine.dispose()
    return int(found or 0)
