"""Dialects that are here no more: how their databases were left, and whether they can go on from there."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import detect
from inboxgen.lock import Lock, sha256
from inboxgen.model import Dialect, Inbox
from inboxgen.schema import create_statements
from inboxgen.spec import from_normal_form


def absent(inbox: Inbox, lock: Lock) -> tuple[str, ...]:
    """What the record is to say of the dialects that `inbox` has not, and had before."""
    known = dict(line.split(" ", 1) for line in lock.absent)
    if lock.spec:
        known |= {dialect: left(lock, dialect) for dialect in from_normal_form(lock.spec).dialects}
    return tuple(f"{dialect} {schema}" for dialect, schema in sorted(known.items()) if dialect not in inbox.dialects)


def left(lock: Lock, dialect: Dialect) -> str:
    """The hash of the schema that our revisions have led `dialect` to, and of the change that they have to end."""
    recorded = from_normal_form(lock.spec)
    change = detect(from_normal_form(lock.unsettled), recorded) if lock.unsettled else None
    present = replace(recorded, leftover=change.between.leftover) if change else recorded
    open_end = lock.unsettled if change and change.contract else ()
    return sha256("\n".join((*create_statements(present, dialect), *open_end)))
