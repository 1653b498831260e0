"""SQL Server's drivers, by the shapes of their exceptions: no server is needed, and none was reached."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import pytest
from sqlalchemy import exc

from tests.classifier import shapes
from tests.classifier.shapes import KEY, NUMBERED, REFUSALS, SQL_SERVER, refusal

# What a stranger may send as part of the key: our names, other numbers, the ends of sentences.
VALUES = (
    f"x' with unique index '{KEY}'. The duplicate key value is (y",
    f"Cannot insert duplicate key row in object 'dbo.inbox' with unique index '{KEY}'.",
    f"Violation of UNIQUE KEY constraint '{KEY}'. Cannot insert duplicate key in object 'dbo.inbox'.",
    f"dbo.inbox-Objekt mit dem eindeutigen {KEY}-Index nicht eingefügt werden.",
    "). (1205) (SQLExecDirectW); [x",
    "). (515) (SQLExecDirectW)",
    "NULL FOREIGN KEY CHECK",
    "<NULL>, 0x00",
    "]",
    "",
)


@pytest.fixture(scope="module")
def classifier(build: Callable[..., ModuleType]) -> ModuleType:
    return build(("mssql",))


@pytest.fixture(params=SQL_SERVER)
def shape(request: pytest.FixtureRequest) -> Callable[[int, str], Exception]:
    return SQL_SERVER[request.param]


@pytest.fixture(params=NUMBERED)
def numbered(request: pytest.FixtureRequest) -> Callable[[int, str], Exception]:
    return NUMBERED[request.param]


@pytest.mark.parametrize("language", REFUSALS)
def test_whose_key(language: str, shape: Callable[[int, str], Exception], classifier: ModuleType) -> None:
    def fault(**parts: str) -> str:
        return classifier.diagnose(shape(*refusal(language, **parts))).name  # type: ignore[no-any-return]

    assert fault() == "UNIQUE_OURS"
    assert fault(table="inbox") == "UNIQUE_OURS"
    for value in VALUES:
        assert fault(value=value) == "UNIQUE_OURS"
        assert fault(table="dbo.orders", key="uq_orders", value=value) == "UNIQUE_OTHER"
        assert fault(key="uq_inbox_other", value=value) == "UNIQUE_OTHER"
    for table in ("dbo.inbox_archive", "dbo.xinbox", "dbo.inbo", "dbo.in.box", "dbo.INBOX"):
        assert fault(table=table) == "UNIQUE_OTHER"
    for key in (f"{KEY}_archive", f"x{KEY}", KEY[:-1], KEY.upper()):
        assert fault(key=key) == "UNIQUE_OTHER"


def test_old_server_tells_no_value(shape: Callable[[int, str], Exception], classifier: ModuleType) -> None:
    text = f"Cannot insert duplicate key row in object 'dbo.inbox' with unique index '{KEY}'."
    assert classifier.diagnose(shape(2601, text)).name == "UNIQUE_OURS"


def test_schema(shape: Callable[[int, str], Exception], build: Callable[..., ModuleType]) -> None:
    ours, theirs = (shape(*refusal("en index", table=f"{schema}.inbox")) for schema in ("messaging", "dbo"))
    fixed = build(("mssql",), schema="messaging")
    assert (fixed.diagnose(ours).name, fixed.diagnose(theirs).name) == ("UNIQUE_OURS", "UNIQUE_OTHER")
    tenants = build(("mssql",), schema="messaging", per_tenant=True)
    assert tenants.diagnose(theirs).name == "UNIQUE_OURS"


def test_names_that_are_no_regular_expression(build: Callable[..., ModuleType]) -> None:
    odd = build(("mssql",), table="in.box(1)", dedup_key="uq[a]+*{0}")
    text = "Cannot insert duplicate key row in object 'dbo.in.box(1)' with unique index 'uq[a]+*{0}'."
    assert odd.diagnose(shapes.pyodbc(2601, text)).name == "UNIQUE_OURS"
    assert odd.diagnose(shapes.pyodbc(2601, text.replace("in.box", "in-box"))).name == "UNIQUE_OTHER"


def test_primary_key_and_unknown_language(shape: Callable[[int, str], Exception], classifier: ModuleType) -> None:
    """Never ours; the runtime reads the marker before it believes either."""
    for template in (shapes.PRIMARY_KEY, shapes.UNKNOWN_LANGUAGE):
        text = template.format(T="dbo.inbox", K=KEY, V="NULL FOREIGN KEY CHECK")
        assert classifier.diagnose(shape(2627, text)).name == "UNIQUE_OTHER"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (515, "Cannot insert the value NULL into column 'consumer', table 'd.dbo.inbox'; INSERT fails."),
        (515, "Der Wert NULL kann in die Spalte 'a', Tabelle 'd.dbo.inbox' nicht eingefügt werden. Fehler bei INSERT."),
        (547, f'The INSERT statement conflicted with the FOREIGN KEY constraint "{KEY}". The conflict occurred (2627)'),
        (547, f'The INSERT statement conflicted with the CHECK constraint "{KEY}". The conflict occurred in "inbox"'),
        (547, 'Die INSERT-Anweisung steht in Konflikt mit der FOREIGN KEY-Einschränkung "fk".'),
        (
            1505,
            "The CREATE UNIQUE INDEX statement terminated because a duplicate key was found for the object name"
            f" 'dbo.inbox' and the index name '{KEY}'. The duplicate key value is (m, c).",
        ),
    ],
)
def test_other_integrity(
    number: int, text: str, shape: Callable[[int, str], Exception], classifier: ModuleType
) -> None:
    assert classifier.diagnose(shape(number, text)).name == "OTHER"


def test_raised_text(numbered: Callable[[int, str], Exception], classifier: ModuleType) -> None:
    """RAISERROR has the number 50000, whatever it says."""
    text = f"{refusal('en constraint')[1]} (2627)"
    assert classifier.diagnose(numbered(50000, text)).name == "OTHER"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (shapes.pyodbc(1205, "deadlocked", state="40001"), "RETRY"),
        (shapes.pyodbc(1222, "Lock request", state="42000"), "LOCK_WAIT"),
        (shapes.pyodbc(0, "TCP Provider: Error code 0x68", state="08S01"), "UNAVAILABLE"),
        (shapes.pyodbc(0, "Login timeout expired", state="HYT00"), "UNAVAILABLE"),
        (shapes.pyodbc(2601, refusal("en index")[1], function="SQLExecute"), "UNIQUE_OURS"),
        (shapes._class("pyodbc", "ProgrammingError")("The SQL contains 0 parameter markers", "HY000"), "OTHER"),
        (shapes._class("pyodbc", "Error")(), "OTHER"),
        (shapes._class("pymssql.exceptions", "OperationalError")((20009, b"Unable to connect")), "UNAVAILABLE"),
        (shapes._class("pytds.tds_base", "ClosedConnectionError")(), "UNAVAILABLE"),
        (shapes._class("pytds.tds_base", "InterfaceError")("Cursor is closed"), "OTHER"),
        (shapes.mssql_python("Transaction (Process ID 5) was deadlocked", "Serialization failure"), "RETRY"),
        (shapes.mssql_python("TCP Provider: Error code 0x68", "Communication link failure"), "UNAVAILABLE"),
        (shapes.mssql_python("Login timeout expired", "Timeout expired"), "UNAVAILABLE"),
        (
            shapes.mssql_python("Lock request time out period exceeded.", "Syntax error or access violation"),
            "LOCK_WAIT",
        ),
        (
            shapes.mssql_python(
                'Failed to update database "d" because the database is read-only.', "Syntax error or access violation"
            ),
            "UNAVAILABLE",
        ),
        (
            shapes.mssql_python("Said: Lock request time out period exceeded.", "Syntax error or access violation"),
            "OTHER",
        ),
        (shapes.mssql_python(refusal("en index")[1], "Syntax error or access violation"), "OTHER"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_particular_shapes(error: Exception, expected: str, classifier: ModuleType) -> None:
    assert classifier.diagnose(error).name == expected
    wrapped = exc.DBAPIError("INSERT INTO [inbox] ([a]) VALUES (1)", {}, error)
    assert classifier.diagnose(wrapped).name == expected


def test_missing_table_of_ours(shape: Callable[[int, str], Exception], classifier: ModuleType) -> None:
    error = shape(208, "Invalid object name 'inbox'.")
    if "mssql_python" in type(error).__module__:
        error = shapes.mssql_python("Invalid object name 'inbox'.", "Base table or view not found")
    ours = (
        "INSERT INTO [inbox] ([message_id]) VALUES (?)",
        "SELECT 1 \nFROM [inbox] WITH (READCOMMITTEDLOCK) \nWHERE [inbox].[message_id] = ?",
    )
    for statement in ours:
        assert classifier.diagnose(exc.DBAPIError(statement, {}, error)).name == "UNAVAILABLE"
    for statement in ("INSERT INTO [inbox_archive] ([a]) VALUES (?)", "UPDATE [inbox] SET [a] = 1", ""):
        assert classifier.diagnose(exc.DBAPIError(statement, {}, error)).name == "OTHER"
    assert classifier.diagnose(error).name == "OTHER"
