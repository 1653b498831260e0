"""Consumers that came and went: code alone, as long as no stored name changes."""

from __future__ import annotations

from inboxgen.changes.refusals import refused
from inboxgen.findings import Finding, RepositoryError
from inboxgen.model import Inbox


def removed_consumers(old: Inbox, new: Inbox) -> tuple[str, ...]:
    """What is to be said of consumers that are gone, one sentence each.

    Raises RepositoryError where a stored name would change (R604), or where it may be a rename (R603).
    """
    before = {each.name: each.stored_name for each in old.consumers}
    after = {each.name: each.stored_name for each in new.consumers}
    found: list[Finding] = []
    for name in before.keys() & after.keys():
        if before[name] != after[name]:
            found.append(refused("R604", new, f"{name} from {before[name]} to {after[name]}", before[name]))
    gone = {name: stored for name, stored in before.items() if name not in after and stored not in after.values()}
    come = [name for name, stored in after.items() if name not in before and stored not in before.values()]
    if gone and come and not found:
        detail = f"{', '.join(gone)} is gone, {', '.join(come)} is new"
        found.append(refused("R603", new, detail, next(iter(gone.values()))))
    if found:
        raise RepositoryError(found)
    kept = "until the retention is over" if new.retention else "until you delete them"
    return tuple(
        f"the markers of {name} stay in {new.table.name} as {stored!r} {kept}; its messages are no longer taken"
        for name, stored in gone.items()
    )
