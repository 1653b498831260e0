"""MariaDB: MySQL's types with MariaDB's own collations, which compare trailing blanks too."""

from __future__ import annotations

from typing import Any

from sqlalchemy.types import TypeEngine

from inboxgen.dialects import mysql
from inboxgen.model import KeyType

CLOCK = mysql.CLOCK
instant = mysql.instant
identity = mysql.identity


def key_type(key: KeyType) -> TypeEngine[Any]:
    """The column type of a part of the dedup key (https://mariadb.com/kb/en/supported-character-sets-and-collations/)."""
    return mysql.key_type(key, text="utf8mb4_nopad_bin", ascii_text="ascii_nopad_bin")
