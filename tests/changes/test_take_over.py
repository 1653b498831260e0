"""A table that existed before inboxgen: stopped with the keys where rows are one message, otherwise taken over."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, inspect

from tests.changes.repositories import Repository, count, execute
from tests.changes.test_upgrade import DRIVERS, SILENT, up

SPEC = """\
inbox: orders
dialects: [postgresql, sqlite, mariadb]
key: {message_id: string(100)}
table: {name: processed_messages, was: processed_messages}
names: {consumer: handler, received_at: created_at, processed_at: done_at}
consumers: [credit, email]
"""
KEY = "ix_processed_messages_message_id_handler"
COLLATED = {"sqlite": "", "postgresql": 'COLLATE "C"', "mariadb": "CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"}
IDENTITY = {
    "sqlite": "INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT",
    "postgresql": "BIGSERIAL PRIMARY KEY",
    "mariadb": "BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY",
}
INSTANT = {"sqlite": "DATETIME", "postgresql": "TIMESTAMP WITH TIME ZONE", "mariadb": "DATETIME(6)"}
ROWS = (("m1", "credit"), ("m1", "email"), ("m2", "credit"), ("M2", "credit"))


def column(engine: str, length: int) -> str:
    return f"VARCHAR({length}) {COLLATED[engine]} NOT NULL"


def create(engine: str, *, key: str = "", more: str = "") -> str:
    return (
        f"CREATE TABLE processed_messages (id {IDENTITY[engine]}, message_id {key or column(engine, 100)},"
        f" handler {column(engine, 200)}, created_at {INSTANT[engine]} NOT NULL, done_at {INSTANT[engine]}{more})"
    )


def insert(url: URL, *rows: tuple[str, str]) -> None:
    values = ", ".join(f"('{key}', '{handler}', '2020-01-01 00:00:00')" for key, handler in rows)
    execute(url, f"INSERT INTO processed_messages (message_id, handler, created_at) VALUES {values}")


@pytest.fixture(params=DRIVERS)
def url(request: pytest.FixtureRequest) -> URL:
    found: URL = request.getfixturevalue(f"{request.param}_url")
    return found.set(drivername=DRIVERS[request.param])


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    made = found.new(SPEC, "--init-alembic")
    assert made.code == 0, made.said
    return found


def refused(repository: Repository, url: URL) -> str:
    ran = repository.alembic(url, "upgrade head")
    said = ran.stdout + ran.stderr
    assert ran.status != 0
    assert "Traceback" not in said
    return said


def unique_keys(url: URL) -> set[str | None]:
    engine = create_engine(url)
    inspector = inspect(engine)
    found = {each["name"] for each in inspector.get_indexes("processed_messages") if each["unique"]}
    engine.dispose()
    return found


def test_without_duplicates_it_is_taken_over(repository: Repository, url: URL) -> None:
    engine = url.get_backend_name()
    execute(url, create(engine))
    insert(url, *ROWS)
    assert up(repository, url, "upgrade head", "check").count(SILENT) == 1
    assert KEY in unique_keys(url)
    assert count(url, "processed_messages") == len(ROWS)
    with pytest.raises(Exception, match=r"(?i)unique|duplicate"):
        insert(url, ("m1", "credit"))
    # Back and forth the table stays, and so does the key, which may have been there before.
    up(repository, url, "downgrade base", "upgrade head")
    assert (count(url, "processed_messages"), KEY in unique_keys(url)) == (len(ROWS), True)


def test_with_duplicates_it_is_stopped_with_the_keys(repository: Repository, url: URL) -> None:
    execute(url, create(url.get_backend_name()))
    insert(url, *ROWS, ("m1", "credit"), ("m1", "credit"))
    said = refused(repository, url)
    assert "more than one marker with the same message_id, handler" in said
    assert "delete all but the oldest marker" in said
    assert "m1, credit, 3" in said
    assert "m2" not in said
    assert KEY not in unique_keys(url)
    execute(url, "DELETE FROM processed_messages WHERE id > 4")
    up(repository, url, "upgrade head", "check")


def test_a_key_that_is_there_already_is_kept(repository: Repository, url: URL) -> None:
    execute(
        url, create(url.get_backend_name()), f"CREATE UNIQUE INDEX {KEY} ON processed_messages (message_id, handler)"
    )
    up(repository, url, "upgrade head", "check")


@pytest.mark.parametrize("key", ["UNIQUE INDEX {key} ON {t} (message_id)", "INDEX {key} ON {t} (message_id, handler)"])
def test_another_key_of_that_name_is_not_taken_for_ours(repository: Repository, url: URL, key: str) -> None:
    execute(url, create(url.get_backend_name()), "CREATE " + key.format(key=KEY, t="processed_messages"))
    assert f"{KEY} is there and is not the dedup key" in refused(repository, url)


@pytest.mark.parametrize(
    ("engine", "statement"),
    [
        ("sqlite", "CREATE UNIQUE INDEX {key} ON {t} (message_id COLLATE NOCASE, handler)"),
        ("sqlite", "CREATE UNIQUE INDEX {key} ON {t} (message_id, handler, lower(message_id))"),
        ("postgresql", "ALTER TABLE {t} ADD CONSTRAINT {key} UNIQUE (message_id, handler) DEFERRABLE"),
        ("postgresql", "CREATE UNIQUE INDEX {key} ON {t} (message_id, handler) WHERE id > 0"),
        ("postgresql", "CREATE UNIQUE INDEX {key} ON {t} (lower(message_id), handler)"),
        ("postgresql", "CREATE UNIQUE INDEX {key} ON {t} (message_id, handler, (id + 0))"),
        ("postgresql", "CREATE UNIQUE INDEX {key} ON {t} (message_id, handler) INCLUDE (id)"),
        ("postgresql", "ALTER TABLE {t} ADD CONSTRAINT {key} UNIQUE (message_id, handler)"),
        ("mariadb", "CREATE UNIQUE INDEX {key} ON {t} (message_id(10), handler)"),
    ],
)
def test_a_key_that_compares_in_another_way(
    repository: Repository, request: pytest.FixtureRequest, engine: str, statement: str
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    execute(url, create(engine), statement.format(key=KEY, t="processed_messages"))
    assert f"{KEY} is there and is not the dedup key" in refused(repository, url)


@pytest.mark.parametrize(
    ("engine", "before"),
    [
        ("postgresql", ("CREATE TABLE", "CREATE UNLOGGED TABLE")),
        ("postgresql", ("done_at TIMESTAMP WITH TIME ZONE)", "done_at TIMESTAMPTZ) PARTITION BY LIST (id)")),
        ("postgresql", ("done_at TIMESTAMP WITH TIME ZONE)", "done_at TIMESTAMPTZ) INHERITS (parent)")),
        ("mariadb", ("done_at DATETIME(6))", "done_at DATETIME(6)) ENGINE=MyISAM")),
        ("sqlite", ("processed_messages", "Processed_Messages")),
    ],
)
def test_a_table_that_loses_markers_or_keeps_them_too_long(
    repository: Repository, request: pytest.FixtureRequest, engine: str, before: tuple[str, str]
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    statement = create(engine).replace(*before)
    assert statement != create(engine)
    if engine == "postgresql":
        execute(url, "CREATE TABLE parent ()")
    execute(url, statement)
    assert "is not a plain table" in refused(repository, url)


@pytest.mark.parametrize("index", ["UNIQUE INDEX", "INDEX"])
def test_an_index_of_that_name_on_another_table(repository: Repository, url: URL, index: str) -> None:
    """Names of indexes are the schema's on PostgreSQL and SQLite, and the table's elsewhere."""
    made = create(url.get_backend_name())
    elsewhere = f"CREATE {index} {KEY} ON messages (message_id, handler)"
    execute(url, made, made.replace("processed_messages", "messages"), elsewhere)
    if url.get_backend_name() == "mariadb":
        up(repository, url, "upgrade head")
        assert KEY in unique_keys(url)
    else:
        assert f"{KEY} is there and is not the dedup key" in refused(repository, url)


def test_a_view_is_no_table(repository: Repository, url: URL) -> None:
    made = create(url.get_backend_name()).replace("processed_messages", "messages")
    execute(url, made, "CREATE VIEW processed_messages AS SELECT * FROM messages")
    assert "is not a plain table" in refused(repository, url)


def test_on_sqlite_a_name_in_other_letters_is_the_same_name(repository: Repository, sqlite_url: URL) -> None:
    made = create("sqlite")
    elsewhere = f"CREATE UNIQUE INDEX {KEY.upper()} ON messages (message_id, handler)"
    execute(sqlite_url, made, made.replace("processed_messages", "messages"), elsewhere)
    assert f"{KEY} is there and is not the dedup key" in refused(repository, sqlite_url)


def test_a_table_that_is_not_there(repository: Repository, url: URL) -> None:
    said = refused(repository, url)
    assert "does not have the columns that the spec says" in said
    assert "message_id" in said
    assert "missing" in said


UNLIKE = {
    "sqlite": ("TEXT NOT NULL", "VARCHAR(100)", "VARCHAR(100) NOT NULL COLLATE NOCASE"),
    "postgresql": ("TEXT NOT NULL", "VARCHAR(100)", "VARCHAR(50) NOT NULL", 'VARCHAR(100) COLLATE "no_case" NOT NULL'),
    "mariadb": (
        "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci NOT NULL",
        "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL",
        "VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin",
        "VARCHAR(50) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL",
    ),
}
NO_CASE = "CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"


@pytest.mark.parametrize(("engine", "key"), [(engine, key) for engine, keys in UNLIKE.items() for key in keys])
def test_a_key_column_that_would_make_two_messages_one(
    repository: Repository, request: pytest.FixtureRequest, engine: str, key: str
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    execute(url, *([NO_CASE] if "no_case" in key else []), create(engine, key=key))
    said = refused(repository, url)
    assert "columns that the spec says" in said or "without case" in said
    assert KEY not in unique_keys(url)


def test_on_sqlite_a_column_that_a_later_change_would_lose(repository: Repository, sqlite_url: URL) -> None:
    execute(sqlite_url, create("sqlite", more=", tenant VARCHAR(10)"))
    assert "columns that the spec does not know" in refused(repository, sqlite_url)


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_elsewhere_such_a_column_stays(repository: Repository, request: pytest.FixtureRequest, engine: str) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    execute(url, create(engine, more=", tenant VARCHAR(10)"))
    up(repository, url, "upgrade head")


@pytest.mark.parametrize("engine", ["postgresql", "mariadb"])
def test_as_a_constraint(tmp_path: Path, request: pytest.FixtureRequest, engine: str) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    repository = Repository(tmp_path)
    spec = SPEC.replace("sqlite, ", "") + "uniqueness: alternate-key\n"
    assert repository.new(spec, "--init-alembic").code == 0
    execute(url, create(engine))
    insert(url, *ROWS)
    up(repository, url, "upgrade head", "check", "downgrade base", "upgrade head", "check")


def test_under_another_name_it_would_be_a_new_table(tmp_path: Path) -> None:
    answer = Repository(tmp_path).new(SPEC.replace("name: processed_messages", "name: inbox"), "--init-alembic")
    assert (answer.code, "R616" in answer.said) == (3, True)
    assert "was: processed_messages}`" in answer.said


def test_sqlite_adds_no_constraint(tmp_path: Path) -> None:
    answer = Repository(tmp_path).new(SPEC + "uniqueness: alternate-key\n")
    assert (answer.code, "E331" in answer.said) == (2, True)


@pytest.mark.parametrize(
    ("engine", "made", "instead", "named"),
    [
        ("sqlite", IDENTITY["sqlite"], "BIGINT PRIMARY KEY", "id"),
        ("sqlite", "done_at DATETIME)", "done_at DATETIME, tenant VARCHAR(10) NOT NULL)", "tenant"),
        ("postgresql", "BIGSERIAL", "BIGINT", "id"),
        ("postgresql", "BIGSERIAL PRIMARY KEY", "BIGINT", "id"),
        ("postgresql", "ZONE)", "ZONE, tenant TEXT NOT NULL)", "tenant"),
        ("mariadb", "AUTO_INCREMENT ", "", "id"),
        ("mariadb", "done_at DATETIME(6))", "done_at DATETIME(6), tenant INT NOT NULL)", "tenant"),
    ],
)
def test_a_column_that_a_claim_leaves_without_a_value(
    repository: Repository, request: pytest.FixtureRequest, engine: str, made: str, instead: str, named: str
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    statement = create(engine).replace(made, instead)
    assert statement != create(engine)
    execute(url, statement)
    assert f"a claim gives them none. Give each a default, and id numbers of its own. They are: {named}" in refused(
        repository, url
    )


@pytest.mark.parametrize(
    ("engine", "more"),
    [
        ("postgresql", "tenant TEXT NOT NULL DEFAULT ''"),
        ("postgresql", "twice BIGINT GENERATED ALWAYS AS (id * 2) STORED NOT NULL"),
        ("postgresql", "number BIGINT GENERATED BY DEFAULT AS IDENTITY"),
        ("mariadb", "tenant INT NOT NULL DEFAULT 0"),
        ("mariadb", "twice VARCHAR(400) AS (CONCAT(handler, handler)) STORED"),
        ("mariadb", "changed TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"),
    ],
)
def test_a_column_that_fills_itself_stays(
    repository: Repository, request: pytest.FixtureRequest, engine: str, more: str
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    execute(url, create(engine, more=f", {more}"))
    up(repository, url, "upgrade head")


@pytest.mark.parametrize(
    ("engine", "instant"), [("postgresql", "TIMESTAMP"), ("mariadb", "TIMESTAMP(6) NULL"), ("mariadb", "BIGINT")]
)
def test_times_of_another_zone(
    repository: Repository, request: pytest.FixtureRequest, engine: str, instant: str
) -> None:
    url: URL = request.getfixturevalue(f"{engine}_url").set(drivername=DRIVERS[engine])
    execute(url, create(engine).replace(f"done_at {INSTANT[engine]}", f"done_at {instant}"))
    said = refused(repository, url)
    assert "times of a type that does not hold UTC" in said
    assert "done_at" in said
    assert "created_at" not in said.partition("hold UTC")[2]


def test_it_gets_another_name_later(repository: Repository, url: URL) -> None:
    """Its primary key has a name that the database chose."""
    execute(url, create(url.get_backend_name()))
    insert(url, *ROWS)
    up(repository, url, "upgrade head")
    spec = SPEC.replace("{name: processed_messages", "{name: markers")
    assert repository.new(spec).code == 0
    up(repository, url, "upgrade head", "check", "downgrade -1", "upgrade head", "check")
    assert repository.new(spec, "--settled").code == 0
    up(repository, url, "upgrade head", "check")
    assert count(url, "markers") == len(ROWS)
