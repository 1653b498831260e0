"""A database under an inbox: its owner, who migrates, and the runtime's account, which may only INSERT and SELECT."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import URL, create_engine, text
from sqlalchemy.pool import NullPool

from tests.servers import (
    MARIADB_DRIVER,
    POSTGRESQL_DRIVER,
    mariadb_database,
    mariadb_server,
    postgresql_database,
    postgresql_server,
)

EFFECT = "CREATE TABLE effect (message INTEGER NOT NULL, consumer VARCHAR(40) NOT NULL)"


@dataclass
class Database:
    """`owner` and `runtime` are URLs of the same database."""

    engine: str
    owner: URL
    runtime: URL
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        """The owner's, as text."""
        return self.owner.render_as_string(hide_password=False)

    def run(self, *statements: str) -> None:
        """Run each statement as the owner, in a transaction of its own."""
        engine = create_engine(self.owner, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(text(statement))

    def send(self, statements: Iterable[str]) -> None:
        """Run statements as they are on one connection, on which only they begin or end a transaction."""
        engine = create_engine(self.owner, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            cursor = connection.connection.cursor()
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query of the owner finds."""
        engine = create_engine(self.owner, poolclass=NullPool)
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(query))]

    def grant(self, table: str) -> None:
        """Give the runtime what it needs on the inbox, and nothing more."""
        name = self.runtime.username
        if self.engine == "postgresql":
            sequence = self.rows(f"SELECT pg_get_serial_sequence('{table}', 'id')")[0][0]
            schema = table.rpartition(".")[0] or "public"
            self.run(
                f'GRANT USAGE ON SCHEMA {schema} TO "{name}"',
                f'GRANT INSERT, SELECT ON {table} TO "{name}"',
                f'GRANT USAGE ON SEQUENCE {sequence} TO "{name}"',
            )
        elif self.engine == "mariadb":
            self.run(f"GRANT INSERT, SELECT ON {table} TO {name}@'%'")

    def make_effect(self) -> None:
        """The business table of the handlers."""
        self.run(EFFECT)
        if self.engine == "postgresql":
            self.run(f'GRANT INSERT ON effect TO "{self.runtime.username}"')
        elif self.engine == "mariadb":
            self.run(f"GRANT INSERT ON effect TO {self.runtime.username}@'%'")


@contextmanager
def database(engine: str, folder: Path) -> Iterator[Database]:
    """A new empty database; a SQLite file lies in `folder`. Raises NoServer."""
    if engine == "sqlite":
        url = URL.create("sqlite", database=str(folder / "writers.sqlite"))
        yield Database(engine, url, url, {"connect_args": {"timeout": 20}})
        return
    role = f"inboxgen_{uuid4().hex[:8]}"
    if engine == "postgresql":
        server, make, create, drop = postgresql_server(), postgresql_database(), f"CREATE ROLE {role} LOGIN", "ROLE"
        driver = POSTGRESQL_DRIVER
    else:
        server, make, create, drop = mariadb_server(), mariadb_database(), f"CREATE USER {role}@'%'", "USER"
        driver = MARIADB_DRIVER
    owner = Database(engine, server.set(drivername=driver), server)
    owner.run(create)
    try:
        with make as url:
            full = url.set(drivername=driver)
            yield Database(engine, full, full.set(username=role, password=None))
    finally:
        owner.run(f"DROP {drop} {role}" + ("@'%'" if drop == "USER" else ""))
