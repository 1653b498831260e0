"""Alembic's environment. `inboxgen new --init-alembic` wrote it: it is yours now."""

from __future__ import annotations

import os
from logging.config import fileConfig

from alembic import context
from alembic.util import CommandError
from sqlalchemy import URL, create_engine, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from existing_table_inbox.models import Base

# The metadata of your own tables goes here too: [Base.metadata, ...].
target_metadata = [Base.metadata]


def database_url() -> URL:
    """`alembic -x url=...`, else DATABASE_URL, else sqlalchemy.url in alembic.ini."""
    given = (
        context.get_x_argument(as_dictionary=True).get("url")
        or os.environ.get("DATABASE_URL")
        or context.config.get_main_option("sqlalchemy.url")
    )
    if not given:
        raise CommandError(
            "no database: give `alembic -x url=...`, set DATABASE_URL, "
            "or write sqlalchemy.url into alembic.ini"
        )
    try:
        return make_url(given)
    except ArgumentError:
        # Not chained: the text of the first error may hold the password.
        raise CommandError(
            "the URL is not of the form driver://user@host/database"
        ) from None


def run_offline() -> None:
    """Write the SQL instead of sending it: `alembic upgrade head --sql`."""
    context.configure(
        url=database_url(),
        target_metadata=target_metadata,
        literal_binds=True,
        dialect_opts={"paramstyle": "named"},
    )
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Connect and run the revisions."""
    engine = create_engine(database_url(), poolclass=NullPool)
    with engine.connect() as connection:
        context.configure(
            connection=connection,
            target_metadata=target_metadata,
        )
        with context.begin_transaction():
            context.run_migrations()


if context.config.config_file_name is not None:
    fileConfig(context.config.config_file_name, disable_existing_loggers=False)

if context.is_offline_mode():
    run_offline()
else:
    run_online()
