"""The inbox table: a marker for each message that a consumer has taken.

A marker is needed for as long as its message may be delivered again, also out of a
dead-letter queue. Its strings are compared byte by byte. The database writes the times,
in UTC, when the message is claimed.
"""

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import mssql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Add its metadata to `target_metadata` in Alembic's env.py."""


INSTANT = mssql.DATETIME2


class Marker(Base):
    """A message that a consumer has taken, committed with what the consumer did."""

    __tablename__ = "Inbox"
    __table_args__ = (
        sa.PrimaryKeyConstraint("Id", name="PK_Inbox"),
        sa.Index("IX_Inbox_MessageId_Consumer", "MessageId", "Consumer", unique=True),
        {"quote": True},
    )

    id: Mapped[int] = mapped_column("Id", sa.BigInteger(), quote=True)
    message_id: Mapped[UUID] = mapped_column("MessageId", sa.Uuid(), quote=True)
    consumer: Mapped[str] = mapped_column(
        "Consumer", sa.NVARCHAR(200, collation="Latin1_General_100_BIN2"), quote=True
    )
    received_at: Mapped[datetime] = mapped_column("ReceivedUtc", INSTANT, quote=True)
    processed_at: Mapped[datetime | None] = mapped_column(
        "ProcessedUtc", INSTANT, quote=True
    )
