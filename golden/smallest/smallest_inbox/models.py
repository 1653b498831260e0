"""The inbox table: a marker for each message that a consumer has taken.

A marker is needed for as long as its message may be delivered again, also out of a
dead-letter queue. Its strings are compared byte by byte. The database writes the times,
in UTC, when the message is claimed.
"""

from datetime import datetime
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """Add its metadata to `target_metadata` in Alembic's env.py."""


INSTANT = sa.DateTime(timezone=True)


class Marker(Base):
    """A message that a consumer has taken, committed with what the consumer did."""

    __tablename__ = "inbox"
    __table_args__ = (
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.Index("ix_inbox_message_id_consumer", "message_id", "consumer", unique=True),
        {"quote": True, "sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(
        "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), quote=True
    )
    message_id: Mapped[UUID] = mapped_column("message_id", sa.Uuid(), quote=True)
    consumer: Mapped[str] = mapped_column(
        "consumer",
        sa.String(200, collation="C").with_variant(
            sa.String(200, collation="BINARY"), "sqlite"
        ),
        quote=True,
    )
    received_at: Mapped[datetime] = mapped_column("received_at", INSTANT, quote=True)
    processed_at: Mapped[datetime | None] = mapped_column(
        "processed_at", INSTANT, quote=True
    )
