"""The inbox table: a marker for each message that a consumer has taken.

A marker is needed for as long as its message may be delivered again, also out of a
dead-letter queue. Its strings are compared byte by byte. The database writes the times,
in UTC, when the message is claimed.
"""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import mssql, mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from .column_types import BinaryText


class Base(DeclarativeBase):
    """Add its metadata to `target_metadata` in Alembic's env.py."""


INSTANT = (
    sa.DateTime(timezone=True)
    .with_variant(mssql.DATETIME2, "mssql")
    .with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
)


class Marker(Base):
    """A message that a consumer has taken, committed with what the consumer did."""

    __tablename__ = "inbox"
    __table_args__ = (
        sa.PrimaryKeyConstraint("id", name="pk_inbox"),
        sa.Index("ix_inbox_event_id_consumer", "event_id", "consumer", unique=True),
        {
            "quote": True,
            "sqlite_autoincrement": True,
            "mysql_engine": "InnoDB",
            "mariadb_engine": "InnoDB",
        },
    )

    id: Mapped[int] = mapped_column(
        "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), quote=True
    )
    event_id: Mapped[str] = mapped_column(
        "event_id",
        sa.String(100, collation="C")
        .with_variant(sa.String(100, collation="BINARY"), "sqlite")
        .with_variant(sa.NVARCHAR(100, collation="Latin1_General_100_BIN2"), "mssql")
        .with_variant(
            BinaryText(100, "utf8mb4", "utf8mb4_0900_bin", "utf8mb4_nopad_bin"),
            "mysql",
            "mariadb",
        ),
        quote=True,
    )
    consumer: Mapped[str] = mapped_column(
        "consumer",
        sa.String(200, collation="C")
        .with_variant(sa.String(200, collation="BINARY"), "sqlite")
        .with_variant(sa.NVARCHAR(200, collation="Latin1_General_100_BIN2"), "mssql")
        .with_variant(
            BinaryText(200, "utf8mb4", "utf8mb4_0900_bin", "utf8mb4_nopad_bin"),
            "mysql",
            "mariadb",
        ),
        quote=True,
    )
    received_at: Mapped[datetime] = mapped_column("received_at", INSTANT, quote=True)
    processed_at: Mapped[datetime | None] = mapped_column(
        "processed_at", INSTANT, quote=True
    )
