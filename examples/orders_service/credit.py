"""The effect of credit: what run.py puts in the place of the generated skeleton."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.orm import Session

from ..messages import CreditRequested


def handle(session: Session, message: CreditRequested) -> None:
    """Add the amount to the account's balance."""
    credit = text("UPDATE account SET cents = cents + :cents WHERE id = :id")
    session.execute(credit, {"cents": message.cents, "id": message.account_id.hex})
