"""What the databases are called in a sentence."""

from __future__ import annotations

from inboxgen.model import Dialect

TITLES = {
    Dialect.POSTGRESQL: "PostgreSQL",
    Dialect.MSSQL: "SQL Server",
    Dialect.SQLITE: "SQLite",
    Dialect.MYSQL: "MySQL",
    Dialect.MARIADB: "MariaDB",
}
