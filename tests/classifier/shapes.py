"""Exceptions as the drivers raise them, for servers and situations that a test cannot have.

The classes are the drivers' own where those are installed, else classes of the same module and name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

KEY = "uq_inbox_message_id_consumer"


def _class(module: str, name: str) -> type[Exception]:
    try:
        found: type[Exception] = getattr(importlib.import_module(module), name)
    except ImportError:
        return type(name, (Exception,), {"__module__": module})
    return found


def _bare(module: str, name: str, *arguments: object, **attributes: object) -> Exception:
    """An exception of a class whose constructor and attributes are out of a test's hands."""
    error = type(name, (Exception,), {"__module__": module})(*arguments)
    for attribute, value in attributes.items():
        setattr(error, attribute, value)
    return error


def psycopg(state: str | None, name: str = "Error", **fields: object) -> Exception:
    """psycopg and psycopg2 alike: the server's fields are in `diag`."""
    fields = {"schema_name": None, "table_name": None, "constraint_name": None, "source_function": None} | fields
    return _bare("psycopg", name, diag=SimpleNamespace(sqlstate=state, **fields))


def asyncpg(state: str | None, **fields: object) -> Exception:
    return _bare("asyncpg.exceptions", "PostgresError", sqlstate=state, **fields)


def pg8000(state: str, **fields: object) -> Exception:
    return _class("pg8000.exceptions", "DatabaseError")({"S": "ERROR", "C": state, **fields})


def pymysql(number: int, text: str = "") -> Exception:
    return _class("pymysql.err", "OperationalError")(number, text)


def mysql_connector(number: int, text: str = "") -> Exception:
    return _bare("mysql.connector.errors", "DatabaseError", number, f"{number} (HY000): {text}", "HY000", errno=number)


def mariadb(number: int, text: str = "") -> Exception:
    return _bare("mariadb", "DatabaseError", text, errno=number)


def sqlite3(code: int, text: str = "") -> Exception:
    error = _class("sqlite3", "DatabaseError")(text)
    error.sqlite_errorcode = code  # type: ignore[attr-defined]
    return error


_ORIGIN = "[Microsoft][ODBC Driver 18 for SQL Server][SQL Server]"


def pyodbc(number: int, text: str = "", *, state: str = "23000", function: str = "SQLExecDirectW") -> Exception:
    return _class("pyodbc", "IntegrityError")(state, f"[{state}] {_ORIGIN}{text} ({number}) ({function})")


def pyodbc_windows(number: int, text: str = "") -> Exception:
    """On Windows every further record is appended, with a number but without a function."""
    first: str = pyodbc(number, text).args[1]
    return _class("pyodbc", "IntegrityError")("23000", f"{first}; [23000] {_ORIGIN}The statement ended. (3621)")


def pyodbc_freetds(number: int, text: str = "") -> Exception:
    return _class("pyodbc", "Error")("23000", f"[23000] [FreeTDS][SQL Server]{text} ({number}) (SQLMoreResults)")


def _dblib(text: str) -> bytes:
    return f"{text}DB-Lib error message 20018, severity 14:\nGeneral SQL Server error: Check messages\n".encode()


def pymssql(number: int, text: str = "") -> Exception:
    return _class("pymssql.exceptions", "IntegrityError")(number, _dblib(text))


def pymssql_fetch(number: int, text: str = "") -> Exception:
    return _class("pymssql.exceptions", "OperationalError")(number, _dblib(text))


def pymssql_batch(number: int, text: str = "") -> Exception:
    return _bare("pymssql._mssql", "MSSQLDatabaseException", (number, _dblib(text)), number=number)


def pytds(number: int, text: str = "") -> Exception:
    error: Any = _class("pytds.tds_base", "IntegrityError")(text)
    error.number = number
    return error  # type: ignore[no-any-return]


def mssql_python(text: str, said: str = "Integrity constraint violation") -> Exception:
    """The driver's word for the SQLSTATE, and the server's text; it has no number."""
    name = "IntegrityError" if "Integrity" in said else "DatabaseError"
    error: Any = _class("mssql_python.exceptions", name)(said, _ORIGIN + text)
    if not hasattr(error, "ddbc_error"):  # not installed: what its constructor would have kept
        error.driver_error, error.ddbc_error = said, f"[Microsoft][SQL Server]{text}"
    return error  # type: ignore[no-any-return]


NUMBERED: dict[str, Callable[[int, str], Exception]] = {
    "pyodbc": pyodbc,
    "pyodbc-windows": pyodbc_windows,
    "pyodbc-freetds": pyodbc_freetds,
    "pymssql": pymssql,
    "pymssql-fetch": pymssql_fetch,
    "pymssql-batch": pymssql_batch,
    "python-tds": pytds,
}
SQL_SERVER: dict[str, Callable[[int, str], Exception]] = NUMBERED | {
    "mssql-python": lambda _number, text: mssql_python(text)
}

# Number and text of a refused key K of table T by value V, per language of the server.
_DE = "Der doppelte Schlüsselwert ist ({V})."
_ES = "El valor de la clave duplicada es ({V})."
_FR = "Valeur de clé dupliquée : ({V})."
REFUSALS = {
    "en index": (
        2601,
        "Cannot insert duplicate key row in object '{T}' with unique index '{K}'. The duplicate key value is ({V}).",
    ),
    "en constraint": (
        2627,
        "Violation of UNIQUE KEY constraint '{K}'. Cannot insert duplicate key in object '{T}'."
        " The duplicate key value is ({V}).",
    ),
    "de index": (
        2601,
        "Eine Zeile mit doppeltem Schlüssel kann in das {T}-Objekt mit dem eindeutigen {K}-Index"
        f" nicht eingefügt werden. {_DE}",
    ),
    "de index, older": (
        2601,
        'Eine Zeile mit doppeltem Schlüssel kann in das Objekt "{T}" mit dem eindeutigen Index "{K}"'
        f" nicht eingefügt werden. {_DE}",
    ),
    "de constraint": (
        2627,
        'Verletzung der UNIQUE KEY-Einschränkung "{K}". Ein doppelter Schlüssel kann in das {T}-Objekt'
        f" nicht eingefügt werden. {_DE}",
    ),
    "es index": (
        2601,
        f"No se puede insertar una fila de clave duplicada en el objeto '{{T}}' con índice único '{{K}}'. {_ES}",
    ),
    "es constraint": (
        2627,
        "Infracción de la restricción UNIQUE KEY '{K}'. No se puede insertar una clave duplicada en el objeto"
        f" '{{T}}'. {_ES}",
    ),
    "fr index": (
        2601,
        "Impossible d'insérer une ligne de clé en double dans l'objet «\xa0{T}\xa0» avec un index unique"
        f" «\xa0{{K}}\xa0». {_FR}",
    ),
    "fr constraint": (
        2627,
        "Violation de la contrainte UNIQUE KEY « {K} ». Impossible d'insérer une clé en double dans l'objet « {T} »."
        f" {_FR}",
    ),
    "ja index": (
        2601,
        "一意インデックス '{K}' を含むオブジェクト '{T}' には重複するキー行を挿入できません。"
        "重複するキーの値は ({V}) です。",
    ),
    "ja constraint": (
        2627,
        "制約 '{K}' の UNIQUE KEY 違反。オブジェクト '{T}' には重複するキーを挿入できません。"
        "重複するキーの値は ({V}) です。",
    ),
}
PRIMARY_KEY = (
    "Violation of PRIMARY KEY constraint '{K}'. Cannot insert duplicate key in object '{T}'."
    " The duplicate key value is ({V})."
)
UNKNOWN_LANGUAGE = "Nelze vložit řádek s duplicitním klíčem do objektu {T} s indexem {K}. Hodnota: ({V})."


def refusal(language: str, *, table: str = "dbo.inbox", key: str = KEY, value: str = "m, c") -> tuple[int, str]:
    """Number and text of a refused key."""
    number, text = REFUSALS[language]
    return number, text.format(T=table, K=key, V=value)
