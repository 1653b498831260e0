"""What a database's error means to the inbox; a module per database reads them."""

from enum import Enum, auto


class Fault(Enum):
    """The meaning of a driver's exception."""

    UNIQUE_OURS = auto()  # the dedup key refused the row
    UNIQUE_OTHER = auto()  # another unique key, or one that cannot be told
    LOCK_WAIT = auto()  # the limit on waiting for a lock ran out
    RETRY = auto()  # deadlock, serialization failure
    UNAVAILABLE = auto()  # the database's own trouble, whatever it was asked
    UNDEPLOYED = auto()  # no such table, column or right: not yet, or a bug
    OTHER = auto()
