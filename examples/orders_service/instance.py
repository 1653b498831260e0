"""One instance of the service: takes the message it is given, when every instance has been given it."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from uuid import UUID

from sqlalchemy import create_engine
from sqlalchemy.orm import Session, sessionmaker

from orders_inbox import CreditRequested, MessageKey, consume_credit
from orders_inbox.handlers import credit


def with_inbox(sessions: sessionmaker[Session], key: MessageKey, message: CreditRequested) -> str:
    """As generated: marker and effect in one transaction."""
    return consume_credit(sessions, key, message).outcome.value


def without_inbox(sessions: sessionmaker[Session], key: MessageKey, message: CreditRequested) -> str:
    """As everybody writes it first: look whether it was done, then do it."""
    done = Path("done", str(key.message_id))
    if done.exists():
        return "duplicate"
    time.sleep(0.2)  # the time between the look and the write, for the other instance to look too
    with sessions.begin() as session:
        credit.handle(session, message)
    done.touch()
    return "processed"


def main() -> None:
    """Arguments: the way to take it, this instance's number, how many there are, and the message as JSON."""
    way, number, instances, delivery = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), json.loads(sys.argv[4])
    sessions = sessionmaker(create_engine(os.environ["DATABASE_URL"]))
    key = MessageKey(message_id=UUID(delivery["message_id"]))
    message = CreditRequested(account_id=UUID(delivery["account_id"]), cents=delivery["cents"])
    Path("ready", f"{way} {number}").touch()
    while len(list(Path("ready").glob(f"{way} *"))) < instances:
        time.sleep(0.005)
    take = with_inbox if way == "inbox" else without_inbox
    print(f"  instance {number}: {take(sessions, key, message)}", flush=True)


main()
