"""A table per tenant: the caller's session factory chooses the schema, for the claim and for the read-back."""

from __future__ import annotations

from types import ModuleType
from uuid import uuid4

import pytest
from sqlalchemy import URL, Engine, create_engine, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, sessionmaker

from tests.generated import generated

SPEC = """
inbox: orders
dialects: [postgresql]
table: {schema: per-tenant}
consumers: [credit]
"""
TENANTS = ("tenant a", "tenant_b")


@pytest.fixture
def package() -> ModuleType:
    return generated(SPEC)


@pytest.fixture
def engine(postgresql_url: URL, package: ModuleType) -> Engine:
    engine = create_engine(postgresql_url.set(drivername="postgresql+psycopg"))
    for tenant in TENANTS:
        with engine.begin() as connection:
            connection.execute(text(f'CREATE SCHEMA "{tenant}"'))
            connection.execute(text(f'CREATE TABLE "{tenant}".effect (n integer)'))
        package.models.Base.metadata.create_all(of_tenant(engine, tenant))
    return engine


def of_tenant(engine: Engine, tenant: str) -> Engine:
    return engine.execution_options(schema_translate_map={None: tenant})


def count(engine: Engine, table: str) -> int:
    with engine.connect() as connection:
        return int(connection.execute(text(f"SELECT count(*) FROM {table}")).scalar_one())


def test_each_tenant_takes_a_message_once(engine: Engine, package: ModuleType) -> None:
    key = package.MessageKey(message_id=uuid4())
    ends = []
    for tenant in TENANTS * 2:

        def effect(session: Session, message: object, tenant: str = tenant) -> None:
            session.execute(text(f'INSERT INTO "{tenant}".effect VALUES (1)'))

        sessions = sessionmaker(of_tenant(engine, tenant))
        ends.append(package.runtime.consume(sessions, "credit", key, None, effect).outcome.name)
    assert ends == ["PROCESSED", "PROCESSED", "DUPLICATE", "DUPLICATE"]
    for tenant in TENANTS:
        assert (count(engine, f'"{tenant}".effect'), count(engine, f'"{tenant}".inbox')) == (1, 1)


def test_violation_in_a_tenants_table_is_ours(engine: Engine, package: ModuleType) -> None:
    insert = text("INSERT INTO \"tenant a\".inbox (message_id, consumer, received_at) VALUES (:id, 'credit', now())")
    with engine.begin() as connection:
        connection.execute(insert, {"id": uuid4()})
    with engine.begin() as connection, pytest.raises(IntegrityError) as raised:
        key = connection.execute(text('SELECT message_id FROM "tenant a".inbox')).scalar_one()
        connection.execute(insert, {"id": key})
    assert package.classify(raised.value).name == "DUPLICATE"
