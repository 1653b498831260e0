"""What a run tells besides findings: the files that it wrote, and what the user does next."""

from __future__ import annotations

from shlex import quote

from inboxgen.decisions import Action
from inboxgen.handlers import is_handler
from inboxgen.model import FileKind, Inbox
from inboxgen.plan import Plan
from inboxgen.report import paint, printable, text, up_to_date

_STYLES = {Action.CREATE: "green", Action.UPDATE: "yellow", Action.DELETE: "red"}


def written(plan: Plan, color: bool = False) -> str:
    """One line per file that is created, updated or deleted, by path; one line where nothing is to be done."""
    if plan.before == plan.after and not plan.changes:
        return up_to_date(plan.spec)
    lines = [(step.action, plan.repository.shown(step.path)) for step in plan.changes]
    lines.append((Action.UPDATE if plan.before else Action.CREATE, plan.repository.shown(plan.lock_path)))
    return "".join(f"{paint(f'{action:<6}', _STYLES[action], color)} {printable(path)}\n" for action, path in lines)


def reported(plan: Plan, color: bool = False) -> str:
    """Handlers that nothing calls any more or that do not fit, and what the change leaves in the database."""
    shown = [plan.repository.shown(path) for path in plan.reported]
    lines = [f"{path} is no longer called; it is yours: delete it when you want to\n" for path in shown]
    return text(plan.misfits, color) + "".join((*lines, *(f"{note}\n" for note in plan.notes)))


def next_steps(inbox: Inbox, plan: Plan) -> str:
    """What is left for a person after new files of theirs or a new revision; nothing otherwise."""
    handlers = [
        plan.repository.shown(step.path)
        for step in plan.changes
        if step.action is Action.CREATE and is_handler(step.path) and not step.path.endswith("__init__.py")
    ]
    calls = [f"consume_{each.identifier}" for each in inbox.consumers if _is_new(each.identifier, handlers)]
    steps = [_migrate(inbox, plan)] if plan.revision or plan.before is None else []
    if handlers:
        steps += [
            f"fill in {', '.join(handlers)}",
            f"call {', '.join(calls)} (from {inbox.module}) where your consumer receives a message",
        ]
    numbered = "".join(f"  {number}. {step}\n" for number, step in enumerate(steps, 1))
    return f"Next:\n{numbered}" if steps else ""


def _is_new(identifier: str, handlers: list[str]) -> bool:
    return any(path.endswith(f"/{identifier}.py") for path in handlers)


def _migrate(inbox: Inbox, plan: Plan) -> str:
    if not inbox.migrations.enabled:
        frozen = {entry.path for entry in plan.after.entries if entry.kind == FileKind.FROZEN}
        made = [step.path for step in plan.changes if step.path in frozen and not step.path.endswith(".down.sql")]
        schemas = [entry.path for entry in plan.after.entries if entry.path.endswith("/schema.sql")]
        shown = " or ".join(map(plan.repository.shown, made if plan.before else schemas))
        return f"apply {shown or 'the SQL of this run'} to the database"
    ini = plan.repository.shown(inbox.migrations.ini or "alembic.ini")
    command = "alembic upgrade head" if ini == "alembic.ini" else f"alembic -c {quote(ini)} upgrade head"
    command += "s" if inbox.migrations.branch else ""
    theirs = plan.before is None and not any(step.path.endswith("/env.py") for step in plan.changes)
    return (
        f"add {inbox.module}.models.Base.metadata to target_metadata in env.py, then {command}" if theirs else command
    )
