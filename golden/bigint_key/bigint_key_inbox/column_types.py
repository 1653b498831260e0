"""Column types for MySQL and MariaDB that SQLAlchemy does not have."""

from sqlalchemy import String, TypeDecorator
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine


class BinaryText(TypeDecorator[str]):
    """Text compared byte by byte; MariaDB, behind mysql:// URLs too, has its own collations."""

    impl = String
    cache_ok = True

    def __init__(
        self, length: int, charset: str, mysql_collation: str, mariadb_collation: str
    ) -> None:
        super().__init__(length)
        self.length = length
        self.charset = charset
        self.mysql_collation = mysql_collation
        self.mariadb_collation = mariadb_collation

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[str]:
        on_mariadb = getattr(dialect, "is_mariadb", False)
        collation = self.mariadb_collation if on_mariadb else self.mysql_collation
        return mysql.VARCHAR(self.length, charset=self.charset, collation=collation)
