"""One instance of a consumer, a process of its own: takes deliveries as lines of JSON, and reports as such.

A delivery that is to hold stops in its handler, after its writes, until it reads how to end.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

from sqlalchemy import Engine, create_engine, event, insert, select
from sqlalchemy.orm import Session, sessionmaker

from tests.races import shop


class Rejected(Exception):
    """The handler was told to fail."""


def report(event: str, **details: object) -> None:
    print(json.dumps({"event": event, **details}), flush=True)


def hold() -> None:
    report("holding")
    if sys.stdin.readline().strip() == "raise":
        raise Rejected


def deliver(job: dict[str, Any]) -> None:
    package = importlib.import_module(job["package"])
    engine = create_engine(job["url"], **job["options"])
    event.listen(engine, "before_cursor_execute", _report_claim)
    try:
        outcome = _naive(engine, job) if job["naive"] else _generated(package, engine, job)
        report("ended", outcome=outcome)
    except Exception as error:
        report("ended", error=type(error).__name__, verdict=package.classify(error).name, text=str(error))
    finally:
        engine.dispose()


def _report_claim(_connection: object, _cursor: object, sql: str, *_: object) -> None:
    if sql.startswith("INSERT INTO") and "inbox" in sql.split("(")[0]:
        report("claiming")


def _generated(package: Any, engine: Engine, job: dict[str, Any]) -> str:
    def handle(session: Session, message: str) -> None:
        session.execute(shop.credit(message))
        if job["order"]:
            report("ordering")
            session.execute(insert(shop.orders).values(number=job["order"]))
        if job["hold"]:
            hold()

    key = package.MessageKey(message_id=job["message"])
    handled = package.runtime.consume(sessionmaker(engine), job["consumer"], key, job["message"], handle)
    return str(handled.outcome.name)


def _naive(engine: Engine, job: dict[str, Any]) -> str:
    with Session(engine) as session, session.begin():
        if session.scalar(select(shop.naive.c.id).where(shop.naive.c.message == job["message"])):
            return "DUPLICATE"
        hold()
        session.execute(insert(shop.naive).values(message=job["message"]))
        session.execute(shop.credit(job["message"]))
    return "PROCESSED"


if __name__ == "__main__":
    report("ready")
    for line in iter(sys.stdin.readline, ""):
        deliver(json.loads(line))
