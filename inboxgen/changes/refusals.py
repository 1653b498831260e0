"""Changes that are not made (R6xx), each with the way by hand."""

from __future__ import annotations

from inboxgen.findings import Finding, Place
from inboxgen.model import Inbox

_REFUSALS = {
    "R601": (
        "this changes the schema in more than one way: {detail}",
        "old and new replicas live through one change at a time, each with an order of its own",
        "make one of them now, and the next one after it was deployed",
    ),
    "R602": (
        "the last change of the schema is not settled yet",
        "old replicas may still run on what it left; a further change would not know them",
        "when none is left: inboxgen new {detail} --settled; then make this change",
    ),
    "R603": (
        "consumers went and others came: {detail}",
        "under another stored name every message that the old one has taken would be handled again",
        "a rename? give the new one `stored_as: {other}`; otherwise remove first, run `inboxgen new`, then add",
    ),
    "R604": (
        "the stored name of a consumer would change: {detail}",
        "stored names are never updated: an old replica would apply every message again",
        "keep `stored_as: {other}`; the consumer's own name may change, it is in the code only",
    ),
    "R605": (
        "the table is called {other} in the databases, and {detail} in the spec",
        "a new empty table would take every message once more",
        "a rename? write `table: {{name: {detail}, was: {other}}}`; another inbox? give it a spec of its own",
    ),
    "R606": (
        "a new column of the key has no backfill: {detail}",
        "the markers that exist, and those of replicas that do not know the column, need a value",
        "write `{detail}: {{type: ..., backfill: VALUE}}`; VALUE is what their messages have, or what no message has",
    ),
    "R607": (
        "old and new dedup key have the same name: {detail}",
        "both must be there at once, or a message passes between them",
        "give the new one a name of its own in `names: {{dedup_key: ...}}`",
    ),
    "R608": (
        "the type of a key column would change: {detail}",
        "old and new replicas would store one message under two keys; only between ascii and string it is one",
        "in two changes: add a column of the new type with a `backfill` to the key, settle it, and remove the old one",
    ),
    "R609": (
        "the key's columns would be in another order: {detail}",
        "the order has no meaning for uniqueness, and a new index costs a scan of the table",
        "keep the order of the spec as it was; for other queries add an index in a revision of your own",
    ),
    "R610": (
        "a column of the key goes and another comes: {other} and {detail}",
        "whether it has another name, or another meaning under which every message would be taken again, only you know",
        "a new name? write `{detail}: {{type: ..., was: {other}}}`, or `names: {{{detail}: {other}}}` to keep the "
        "column's name; otherwise add the one with a `backfill`, settle that, and then remove the other",
    ),
    "R611": (
        "the naming would change from {other} to {detail}",
        "it gives every column another name, which no old replica knows",
        "keep `naming: {other}`, or give the table's names in `names:` and change it there",
    ),
    "R612": (
        "the inbox would change its name from {other} to {detail}",
        "golden files, revisions and the record belong to {other}",
        "keep `inbox: {other}`; a new inbox gets a spec and a lock of its own, and a table that is empty",
    ),
    "R613": (
        "the dialect {detail} was here before, and missed a change since then",
        "its databases have an older schema, which none of our revisions leads on",
        "bring such a database to golden/.../schema.sql by hand, in a revision of your own, and keep {detail} apart in "
        "a spec of its own",
    ),
    "R614": (
        "other names of the table would change: {detail}",
        "they have no meaning for the runtime, and a rename locks the table",
        "keep them in `names:` as they were, or rename them in a revision of your own",
    ),
    "R615": (
        "the table would move {detail}",
        "where a connection's own schema is, only the database knows",
        "by hand: move it in a revision of your own, leave a view under the old name, and begin with a new lock",
    ),
    "R616": (
        "nothing was generated yet, so no table of ours is called {detail}",
        "under another name it would be a new empty table, and every message of the old one would be taken once more",
        "to take over the table that exists, name it: `table: {{name: {detail}, was: {detail}}}`; rename it afterwards",
    ),
    "R617": (
        "the backfill would change before its column is settled: {detail}",
        "markers of old replicas have {other}, and the end waits until those are older than the retention",
        "keep {other} until `inboxgen new ... --settled`; no database has the revision? `inboxgen new ... --amend`",
    ),
    "R618": (
        "a name would pass from one column to another: {detail}",
        "messages would be stored under each other's keys, and a revision that stops halfway could not be run again",
        "give the one a name that no column had, deploy and settle that, and then give its old name to the other",
    ),
}

CODES = tuple(_REFUSALS)


def refused(code: str, inbox: Inbox, detail: str = "", other: str = "") -> Finding:
    """The refusal `code` of a change to `inbox`; `other` is what was there before."""
    what, why, fix = (text.format(detail=detail, other=other) for text in _REFUSALS[code])
    return Finding(Place(inbox.spec_path), code, what, why, fix)
