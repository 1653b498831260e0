"""The golden SQL read back: every dialect holds what the spec says, and all of them hold the same.

What each type must be is written down here once more, so that a change of the generator's own table is seen.
"""

from __future__ import annotations

import re

import pytest

from inboxgen.model import Dialect, Inbox, KeyType, Kind, Uniqueness
from inboxgen.sqlread import Column, Key, Shape, Table, UnreadableSql, parse, read_shape, read_tables, split
from tests.golden import ROOT
from tests.trees import EXAMPLES, inbox

POSTGRESQL, MSSQL, SQLITE, MYSQL, MARIADB = Dialect
FAMILY = (MYSQL, MARIADB)
CASES = [(example, dialect) for example in EXAMPLES for dialect in inbox(example).dialects]

UUID = {POSTGRESQL: "UUID", MSSQL: "UUID", SQLITE: "CHAR(32)", MYSQL: "BINARY(16)", MARIADB: "BINARY(16)"}
DIGEST = {POSTGRESQL: "VARBINARY", MSSQL: "BINARY(32)", SQLITE: "VARBINARY", MYSQL: "BINARY(32)", MARIADB: "BINARY(32)"}
INSTANT = {
    POSTGRESQL: "TIMESTAMPTZ",
    MSSQL: "DATETIME2",
    SQLITE: "DATETIME",
    MYSQL: "DATETIME(6)",
    MARIADB: "DATETIME(6)",
}
# Only collations that compare byte by byte; those of MySQL's ascii pad, which the runtime makes up for.
BINARY_TEXT = {
    POSTGRESQL: "C",
    MSSQL: "Latin1_General_100_BIN2",
    SQLITE: "BINARY",
    MYSQL: "utf8mb4_0900_bin",
    MARIADB: "utf8mb4_nopad_bin",
}
BINARY_ASCII = BINARY_TEXT | {MYSQL: "ascii_bin", MARIADB: "ascii_nopad_bin"}


def text(kind: Kind, length: int, name: str, dialect: Dialect) -> Column:
    wide = kind is Kind.STRING
    return Column(
        name,
        f"{'NVARCHAR' if wide and dialect is MSSQL else 'VARCHAR'}({length})",
        nullable=False,
        collation=(BINARY_TEXT if wide else BINARY_ASCII)[dialect],
        charset=("utf8mb4" if wide else "ascii") if dialect in FAMILY else "",
    )


def key_column(name: str, key: KeyType, dialect: Dialect) -> Column:
    match key.kind:
        case Kind.STRING | Kind.ASCII:
            return text(key.kind, key.length, name, dialect)
        case Kind.BYTES:
            length = "" if dialect in (POSTGRESQL, SQLITE) else f"({key.length})"
            return Column(name, f"VARBINARY{length}", nullable=False)
        case Kind.BIGINT:
            return Column(name, "BIGINT", nullable=False)
        case _:
            return Column(name, (UUID if key.kind is Kind.UUID else DIGEST)[dialect], nullable=False)


def expected_table(of: Inbox, dialect: Dialect) -> Table:
    names = of.table
    columns = (
        Column(names.id, "INT" if dialect is SQLITE else "BIGINT", nullable=False, identity=True),
        *(key_column(column.column, column.type, dialect) for column in of.key),
        text(Kind.STRING, 200, names.consumer, dialect),
        Column(names.received_at, INSTANT[dialect], nullable=False),
        Column(names.processed_at, INSTANT[dialect], nullable=True),
    )
    # SQLite's rowid has no name: SQLAlchemy writes its key at the column.
    primary = Key("" if dialect is SQLITE else names.primary_key, "primary", (names.id,))
    # MySQL and MariaDB know no difference, and get the key with the table.
    kind = "index" if of.uniqueness is Uniqueness.INDEX and dialect not in FAMILY else "constraint"
    dedup = Key(names.dedup_key, kind, (*(column.column for column in of.key), names.consumer))
    return Table(names.schema or "", names.name, columns, (primary, dedup), "InnoDB" if dialect in FAMILY else "")


def expected_shapes(of: Inbox, dialect: Dialect) -> list[Shape]:
    names = of.table
    table = f"{names.schema}.{names.name}" if names.schema else names.name
    key = (*(column.column for column in of.key), names.consumer)
    parameters = (*(column.field for column in of.key), "consumer")
    upsert = ("ON CONFLICT DO NOTHING",) if dialect in (POSTGRESQL, SQLITE) else ()
    lock = {MSSQL: ("WITH (READCOMMITTEDLOCK)",), MYSQL: ("FOR SHARE",), MARIADB: ("FOR SHARE",)}.get(dialect, ())
    shapes = [
        Shape("INSERT", table, (*key, names.received_at, names.processed_at), (), parameters, upsert),
        Shape("SELECT", table, (names.id,), key, parameters, lock),
    ]
    silent = {"pg8000", "asyncpg"} & set(of.drivers) if dialect is POSTGRESQL else dialect is not MSSQL
    if silent:
        shapes += [Shape("SAVEPOINT", "inbox_marker"), Shape("RELEASE SAVEPOINT", "inbox_marker")]
    return shapes


def script(example: str, dialect: Dialect, name: str) -> str:
    (path,) = (ROOT / example / "golden" / inbox(example).name / dialect).glob(name)
    return path.read_text(encoding="utf-8")


def in_transaction(text: str, dialect: Dialect) -> list[str]:
    """A revision's statements, after a look at what holds them together; MySQL and MariaDB commit each one."""
    statements = list(split(text, dialect))
    if dialect in FAMILY:
        return statements
    begin = {POSTGRESQL: "BEGIN", MSSQL: "BEGIN TRANSACTION", SQLITE: "BEGIN IMMEDIATE"}[dialect]
    assert (statements[0], statements[-1]) == (begin, "COMMIT")
    return statements[1:-1]


@pytest.mark.parametrize(("example", "dialect"), CASES)
def test_the_schema_is_what_the_spec_says(example: str, dialect: Dialect) -> None:
    expected = (expected_table(inbox(example), dialect),)
    assert read_tables(script(example, dialect, "schema.sql"), dialect) == expected
    if inbox(example).table.was:  # it was there before: only the key is made
        return
    created = ";\n".join(in_transaction(script(example, dialect, "0001_*_create_inbox.sql"), dialect))
    assert read_tables(created, dialect) == expected


@pytest.mark.parametrize(("example", "dialect"), CASES)
def test_the_statements_are_what_the_spec_says(example: str, dialect: Dialect) -> None:
    shapes = [read_shape(sql, dialect) for sql in split(script(example, dialect, "statements.sql"), dialect)]
    assert shapes == expected_shapes(inbox(example), dialect)


@pytest.mark.parametrize(("example", "dialect"), [case for case in CASES if not inbox(case[0]).table.was])
def test_the_way_back_drops_the_table_alone(example: str, dialect: Dialect) -> None:
    names = inbox(example).table
    table = f"{names.schema}.{names.name}" if names.schema else names.name
    (drop,) = in_transaction(script(example, dialect, "0001_*_create_inbox.down.sql"), dialect)
    assert read_shape(drop, dialect) == Shape("DROP", table)


@pytest.mark.parametrize("dialect", inbox("existing_table").dialects)
def test_taking_over_makes_the_key_of_the_schema(dialect: Dialect) -> None:
    (table,) = read_tables(script("existing_table", dialect, "schema.sql"), dialect)
    key = next(key for key in table.keys if key.kind != "primary")
    folder = ROOT / "existing_table" / "golden" / "existing_table" / dialect
    assert not list(folder.glob("*.down.sql"))
    made = normal_text(script("existing_table", dialect, "0001_*_take_over_inbox.sql"))
    words = r"unique index (concurrently )?(if not exists )?"
    assert re.search(rf"{words}{key.name} (on processed_messages )?\({', '.join(key.columns)}\)", made)


def normal_text(sql: str) -> str:
    """What is sent, without quotes."""
    sent = (line for line in sql.splitlines() if not line.startswith("--"))
    return re.sub(r'["`\[\]]', "", " ".join(sent)).lower()


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_dialects_agree(example: str) -> None:
    schemas = {}
    for dialect in inbox(example).dialects:
        (table,) = read_tables(script(example, dialect, "schema.sql"), dialect)
        columns = [(column.name, column.nullable, bool(column.collation), column.identity) for column in table.columns]
        keys = [(key.columns, "" if key.kind == "primary" else key.name) for key in table.keys]
        schemas[dialect] = (table.schema, table.name, columns, keys)
    first, *others = schemas.values()
    assert all(other == first for other in others), schemas


INDEX = "CREATE UNIQUE INDEX [IX_Inbox_MessageId_Consumer] ON [Inbox] ([MessageId], [Consumer])"
CONSTRAINT = "CONSTRAINT [AK_Inbox_MessageId_Consumer] UNIQUE ([MessageId], [Consumer])"
EF_CORE = """
    CREATE TABLE [Inbox] (
        [Id] bigint NOT NULL IDENTITY,
        [MessageId] uniqueidentifier NOT NULL,
        [Consumer] nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
        [ReceivedUtc] datetime2 NOT NULL,
        [ProcessedUtc] datetime2 NULL,
        CONSTRAINT [PK_Inbox] PRIMARY KEY ([Id])"""


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ("ef_core", [EF_CORE + ")", INDEX]),
        ("ef_core_alternate_key", [f"{EF_CORE}, {CONSTRAINT})"]),
    ],
)
def test_ef_core_makes_the_same_table(example: str, expected: list[str]) -> None:
    """The text that EF Core generates for the same model, with our collation on the key's strings."""
    statements = split(script(example, MSSQL, "schema.sql"), MSSQL)
    assert [normal(sql) for sql in statements] == [normal(sql) for sql in expected]


def normal(sql: str) -> list[str]:
    """Names as they are, and between them the words, whose case and spacing T-SQL does not mind."""
    parts = re.split(r"(\[[^\]]*\])", sql)
    return [part if part.startswith("[") else "".join(part.lower().split()) for part in parts]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE UNIQUE INDEX x ON inbox ((CASE WHEN a IS NULL THEN 1 END))",
        "CREATE UNIQUE INDEX x ON inbox (a DESC)",
        "CREATE UNIQUE INDEX x ON inbox (a) WHERE a > 1",
        "CREATE INDEX x ON inbox (a)",
        "CREATE UNIQUE INDEX x ON other (a)",
        "VACUUM inbox",
        "SELECT 1; SELECT 2",
    ],
)
def test_what_is_not_understood_is_not_passed_over(sql: str) -> None:
    with pytest.raises(UnreadableSql):
        read_tables(f"CREATE TABLE inbox (a INTEGER NOT NULL);\n{sql};", POSTGRESQL) and parse(sql, POSTGRESQL)
