"""What is said when a run is refused (R4xx) or the repository is stale (S3xx): the reason, the command that mends."""

from __future__ import annotations

from shlex import quote

from inboxgen.findings import Finding, Place

_REFUSALS = {
    "R403": (
        "inboxgen cannot write here: {detail}",
        "only a plain file of its own is ever replaced",
        "move it out of the way, then run `inboxgen new {spec}`",
    ),
    "R404": (
        "a frozen file is missing",
        "databases were migrated with it, so it is history and is never rendered again",
        "git restore {path}",
    ),
    "R405": (
        "a frozen file was edited",
        "databases may have been migrated with what it said before",
        "git restore {path}, or keep the edit: `inboxgen new {spec} --accept {path}`",
    ),
    "R406": (
        "a derived file was edited by hand",
        "the next run would overwrite the edit; what it does belongs into the spec or a file of yours",
        "git restore {path}, or drop the edit: `inboxgen new {spec} --force`",
    ),
    "R407": (
        "a file that inboxgen did not write is in the way",
        "it is not in the record, so it is never overwritten",
        "move it (git mv {path} ELSEWHERE), or give `package:` another value, then run `inboxgen new {spec}`",
    ),
    "R408": (
        "a file that the spec no longer produces was edited by hand",
        "it would be deleted, and the edit with it",
        "save what you need of it, then run `inboxgen new {spec} --force`, which deletes it",
    ),
    "R409": (
        "the handler still lies at {detail}",
        "a new skeleton here would be called in its place, and every message would fail",
        "git mv {detail} {path}",
    ),
    "R410": (
        "there is nothing to accept here",
        "--accept takes frozen files of this spec, and the record has none at this path",
        "inboxgen check {spec}",
    ),
    "R411": (
        "it cannot be written: {detail}",
        "what was written before it is recorded as pending, and nothing as done",
        "mend the cause, then run `inboxgen new {spec}`, which finishes the work",
    ),
    "R412": (
        "no Alembic environment was found",
        "the revision that creates the inbox has to go where the other revisions are",
        "inboxgen new {spec} --init-alembic, or write `migrations: none` into the spec for SQL files alone",
    ),
    "R414": (
        "a revision of this inbox is here, and the record that belongs to it is not",
        "without {detail} inboxgen would add a second revision that creates the same table",
        "git restore {detail}; or, if no database has this revision, delete it and run `inboxgen new {spec}`",
    ),
    "R415": (
        "{detail} records the same table in the same Alembic environment",
        "both would create it, and each would take the other's markers for its own",
        "give this inbox a `table:` of its own, or its consumers to the other spec",
    ),
    "R416": (
        "there is no revision to amend",
        "nothing was generated from this spec yet",
        "inboxgen new {spec}",
    ),
    "R417": (
        "the last run was interrupted, so which revision is the last one is not settled",
        "--amend would take back a revision that databases may have",
        "inboxgen new {spec}, which finishes that run; then amend",
    ),
    "R418": (
        "this revision follows our last one, {detail}",
        "amended, it would follow a revision that is no more",
        "leave {detail} as it is: `inboxgen new {spec}` adds a revision for the change",
    ),
    "R419": (
        "the record does not tell what was before our last revision",
        "it keeps that of one revision, and that one was taken away",
        "inboxgen new {spec}, which adds a revision for the change",
    ),
    "R420": (
        "our last revision was edited by hand",
        "--amend writes it anew, and the edit would be lost",
        "inboxgen new {spec}, which adds a revision for the change; or drop the edit: "
        "`inboxgen new {spec} --amend --force`",
    ),
    "R421": (
        "a revision of this inbox is here that the record does not know",
        "a merge brought it, or the record went back without it; a database that has it has another schema",
        "if no database has it: delete it and its golden SQL; otherwise take the record that belongs to it from "
        "version control, and run inboxgen new {spec}",
    ),
}

_STALE = {
    "S301": "nothing was generated from this spec yet",
    "S302": "the last run was interrupted before its end",
    "S303": "this file is missing",
    "S304": "this file is not what the spec says now",
    "S305": "the spec no longer produces this file",
    "S306": "the record is older than the spec or the generator",
}

_MISFIT = "S307"

CODES = (*_REFUSALS, *_STALE, _MISFIT)


def refusal(code: str, path: str, spec: str, detail: str = "") -> Finding:
    """The refusal `code` for `path`; `detail` is the obstacle, or the other path that it is about."""
    what, why, fix = _REFUSALS[code]
    shell = {"path": quote(path), "spec": quote(spec), "detail": quote(detail)}
    return Finding(Place(path), code, what.format(detail=detail), why.format(detail=detail), fix.format(**shell))


def staleness(code: str, path: str, spec: str) -> Finding:
    """The stale state `code` of `path`."""
    return Finding(Place(path), code, _STALE[code], "", f"inboxgen new {quote(spec)}")


def misfitting(place: Place, source: str, found: str, wanted: str) -> Finding:
    """A handler of the user's at `place` whose signature, `found`, is not the one that it is called with."""
    what = "this handler does not fit the way it is called"
    why = f"it is `{found}`, and is called as `{wanted}`"
    return Finding(place, _MISFIT, what, why, "change it; it is yours, and inboxgen never edits it", source)
