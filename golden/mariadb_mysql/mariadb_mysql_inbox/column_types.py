"""Column types for MySQL and MariaDB that SQLAlchemy does not have."""

from uuid import UUID

from sqlalchemy import BINARY, String, TypeDecorator
from sqlalchemy.dialects import mysql
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeEngine


class BinaryUuid(TypeDecorator[UUID]):
    """A UUID as sixteen bytes; MariaDB's own type refuses some that are not RFC 4122's."""

    impl = BINARY(16)
    cache_ok = True

    def process_bind_param(self, value: UUID | None, dialect: Dialect) -> bytes | None:
        return None if value is None else value.bytes

    def process_result_value(
        self, value: bytes | None, dialect: Dialect
    ) -> UUID | None:
        return None if value is None else UUID(bytes=value)


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
