"""The inbox table: a marker for each message that a consumer has taken.

A marker is needed for as long as the broker or its dead-letter queue may deliver the message again.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import (
    NVARCHAR,
    BigInteger,
    PrimaryKeyConstraint,
    UniqueConstraint,
    Uuid,
)
from sqlalchemy.dialects import mssql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Add its metadata to `target_metadata` in Alembic's env.py."""


INSTANT = mssql.DATETIME2


class Marker(Base):
    """A message that a consumer has taken, committed with what the consumer did."""

    __tablename__ = "Inbox"
    __table_args__ = (
        PrimaryKeyConstraint("Id", name="PK_Inbox"),
        UniqueConstraint("MessageId", "Consumer", name="AK_Inbox_MessageId_Consumer"),
        {"quote": True},
    )

    id: Mapped[int] = mapped_column("Id", BigInteger(), quote=True)
    message_id: Mapped[UUID] = mapped_column("MessageId", Uuid(), quote=True)
    consumer: Mapped[str] = mapped_column(
        "Consumer", NVARCHAR(200, collation="Latin1_General_100_BIN2"), quote=True
    )
    received_at: Mapped[datetime] = mapped_column("ReceivedUtc", INSTANT, quote=True)
    processed_at: Mapped[datetime | None] = mapped_column(
        "ProcessedUtc", INSTANT, quote=True
    )
