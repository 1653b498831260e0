"""What the tests' handlers write: a credit has no unique key, so applying it twice shows; an order's number has one."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Insert,
    Integer,
    MetaData,
    String,
    Table,
    UniqueConstraint,
    func,
    insert,
    select,
)

metadata = MetaData()
_INNODB: Any = {"mysql_engine": "InnoDB", "mariadb_engine": "InnoDB"}
credits = Table("credits", metadata, Column("id", Integer, primary_key=True), Column("message", String(200)), **_INNODB)
orders = Table(
    "orders",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("number", String(200), nullable=False),
    UniqueConstraint("number", name="uq_orders_number"),
    **_INNODB,
)
# The control's: what people write by hand, without a unique key.
naive = Table(
    "naive_inbox", metadata, Column("id", Integer, primary_key=True), Column("message", String(200)), **_INNODB
)


def create_tables(connection: Connection, package: ModuleType) -> None:
    """Create the inbox of a generated package, and the shop's own tables."""
    package.models.Base.metadata.create_all(connection)
    metadata.create_all(connection)


def credit(message: str) -> Insert:
    """The statement that applies a message's effect."""
    return insert(credits).values(message=message)


def count_credits(engine: Engine, message: str) -> int:
    """How often the message's effect has been committed."""
    with engine.connect() as connection:
        found = connection.scalar(select(func.count()).select_from(credits).where(credits.c.message == message))
    return int(found or 0)


def count_markers(engine: Engine, package: ModuleType, message: str) -> int:
    """How many markers of the message have been committed, whoever's."""
    marker = package.Marker
    with engine.connect() as connection:
        found = connection.scalar(select(func.count(marker.id)).where(marker.message_id == message))
    return int(found or 0)
