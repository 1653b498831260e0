"""SQLite: from one table to the next in one transaction, by our own statements.

SQLite alters little in place (https://sqlite.org/lang_altertable.html#otheralter), and what is read back from it has
lost collations and AUTOINCREMENT; so the new table is made from the spec, never by reflection.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.schema import CreateTable

from inboxgen.changes import sql
from inboxgen.changes.columns import renamed
from inboxgen.dialects.literals import text
from inboxgen.model import Dialect, Inbox
from inboxgen.names import shorten
from inboxgen.schema import build_table, compile_ddl, index_statements

LITE = Dialect.SQLITE
LOCKS = "One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out."


def rebuild(before: Inbox, after: Inbox) -> tuple[str, ...]:
    """The statements that lead from one table to the other; columns that `before` lacks get their default."""
    old, new = build_table(before, LITE), build_table(after, LITE)
    if compile_ddl(CreateTable(old), LITE) == compile_ddl(CreateTable(new), LITE):
        names = {str(index.name) for index in new.indexes}
        gone = sorted(str(index.name) for index in old.indexes if str(index.name) not in names)
        made = [ddl for ddl in index_statements(new, LITE) if ddl not in index_statements(old, LITE)]
        return (*made, *(f"DROP INDEX {sql.quoted(LITE, name)}" for name in gone))
    interim = shorten(f"{after.table.name}_new")
    table = replace(after, table=replace(after.table, name=interim))
    former = {now: was for was, now in renamed(before, after)}
    given = [column.name for column in new.columns if former.get(column.name, column.name) in old.columns]
    taken = [former.get(name, name) for name in given]
    here, there = (sql.quoted(LITE, name) for name in (before.table.name, interim))
    return (
        compile_ddl(CreateTable(build_table(table, LITE)), LITE),
        f"INSERT INTO {there} ({sql.columns(LITE, given)}) SELECT {sql.columns(LITE, taken)} FROM {here}",
        # An id is never given twice, not even when the rows that had the highest are gone.
        f"DELETE FROM sqlite_sequence WHERE name = {text(interim)}",
        f"INSERT INTO sqlite_sequence (name, seq) SELECT {text(interim)}, seq FROM sqlite_sequence"
        f" WHERE name = {text(before.table.name)}",
        f"DROP TABLE {here}",
        f"ALTER TABLE {there} RENAME TO {sql.quoted(LITE, after.table.name)}",
        *index_statements(new, LITE),
    )
