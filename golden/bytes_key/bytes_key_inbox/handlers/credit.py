"""The effect of credit."""

from collections.abc import Mapping

from sqlalchemy.orm import Session


def handle(session: Session, message: Mapping[str, object]) -> None:
    """Apply `message` through `session`, which holds the marker's transaction.

    The caller commits. What is raised here rolls back marker and effect, and the message comes again;
    what may fail without that belongs into `with session.begin_nested():`.
    """
    raise NotImplementedError("credit does not handle its messages yet")
