"""A function for each consumer: call it for each delivery, and act on its outcome."""

from .handlers import everything
from .key import MessageKey
from .messages import Everything
from .runtime import Handled, Sessions, consume


def consume_everything(
    sessions: Sessions, key: MessageKey, message: Everything
) -> Handled:
    """Take a message for everything."""
    return consume(sessions, "everything", key, message, everything.handle)
