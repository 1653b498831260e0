"""What the record says of the databases: the change that waits for its end, and how dialects that went were left."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import Change, detect
from inboxgen.lock import Lock, sha256
from inboxgen.model import Dialect, Inbox
from inboxgen.schema import create_statements
from inboxgen.spec import from_normal_form


def unsettled_change(lock: Lock, aim: Inbox | None = None) -> Change | None:
    """The change that waits for its end, as it was begun, or as it would be on the way to `aim`."""
    if not lock.unsettled:
        return None
    return detect(from_normal_form(lock.unsettled), aim or from_normal_form(lock.spec))


def absent(inbox: Inbox, lock: Lock) -> tuple[str, ...]:
    """What the record is to say of the dialects that `inbox` has not, and had before."""
    known = left_before(lock)
    present = from_normal_form(lock.spec).dialects if lock.spec else ()
    known |= {dialect: left_now(lock, dialect) for dialect in present if dialect not in inbox.dialects}
    return tuple(f"{dialect} {schema}" for dialect, schema in sorted(known.items()) if dialect not in inbox.dialects)


def left_before(lock: Lock) -> dict[str, str]:
    """How each dialect that is gone was left, as `left_now` said then."""
    return dict(line.split(" ", 1) for line in lock.absent)


def left_now(lock: Lock, dialect: Dialect) -> str:
    """The hash of the schema that our revisions have led `dialect` to, and of the change that they have to end."""
    recorded, change = from_normal_form(lock.spec), unsettled_change(lock)
    present = replace(recorded, leftover=change.between.leftover) if change else recorded
    open_end = lock.unsettled if change and change.contract else ()
    return sha256("\n".join((*create_statements(present, dialect), *open_end)))
