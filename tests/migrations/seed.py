"""Puts markers into an inbox, through the generated package of a release, and an effect for each."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from sqlalchemy import create_engine, text

from tests.migrations.messages import message_key

BATCH = 5_000


def seed(folder: str, url: str, rows: int, consumers: list[str], values: dict[str, str]) -> None:
    """`rows` markers for each consumer, of the messages from 0 on; for a process of its own."""
    sys.path.insert(0, folder)
    package: Any = importlib.import_module("orders_inbox")
    statements: Any = importlib.import_module("orders_inbox.statements")
    column = statements.inbox.c.consumer.name

    engine = create_engine(url)
    effect = text("INSERT INTO effect (message, consumer) VALUES (:message, :consumer)")
    with engine.begin() as connection:
        for first in range(0, rows, BATCH):
            numbers = range(first, min(first + BATCH, rows))
            keys = [message_key(package, values, number).columns() for number in numbers]
            for consumer in consumers:
                markers = [{**columns, column: consumer} for columns in keys]
                connection.execute(statements.CLAIM[connection.dialect.name], markers)
                connection.execute(effect, [{"message": number, "consumer": consumer} for number in numbers])
