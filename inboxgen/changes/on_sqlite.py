"""SQLite: from one table to the next in one transaction, by our own statements.

SQLite alters little in place (https://sqlite.org/lang_altertable.html#otheralter), and what is read back from it has
lost collations and AUTOINCREMENT; so the new table is made from the spec, never by reflection.
"""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.schema import CreateTable

from inboxgen.changes import sql
from inboxgen.changes.columns import renamed
from inboxgen.changes.steps import Check, Steps
from inboxgen.dialects.literals import text
from inboxgen.model import Dialect, Inbox
from inboxgen.names import shorten
from inboxgen.schema import build_table, compile_ddl, index_statements

LITE = Dialect.SQLITE
# What goes with a table that is dropped; with foreign keys switched on, the rows of other tables too.
_LOST = """\
SELECT type, name FROM sqlite_master
WHERE tbl_name = {table} COLLATE NOCASE AND sql IS NOT NULL
    AND (type = 'trigger' OR (type = 'index' AND name NOT IN ({indexes})))
UNION ALL
SELECT 'column', name FROM pragma_table_info({table}) WHERE name NOT IN ({columns})
UNION ALL
SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
WHERE child.type = 'table' AND parent."table" = {table} COLLATE NOCASE
    AND (SELECT foreign_keys FROM pragma_foreign_keys)"""
LOCKS = "One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out."


def change(before: Inbox, after: Inbox, checks: tuple[Check, ...] = ()) -> Steps:
    """The steps from one table to the other, nothing if they are the same, after `checks` of the rows."""
    statements = _statements(before, after)
    return Steps(statements, (*_lost(before, after), *checks), LOCKS) if statements else Steps()


def _statements(before: Inbox, after: Inbox) -> tuple[str, ...]:
    """Columns that `before` lacks get their default."""
    old, new = build_table(before, LITE), build_table(after, LITE)
    if not _is_made_anew(before, after):
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


def _lost(before: Inbox, after: Inbox) -> tuple[Check, ...]:
    """The check that the table has nothing that ours would not have when it is made anew."""
    if not _is_made_anew(before, after):
        return ()
    table, name = build_table(before, LITE), before.table.name
    query = _LOST.format(
        table=text(name),
        indexes=", ".join(text(name) for name in sorted(str(index.name) for index in table.indexes)) or "''",
        columns=", ".join(text(column.name) for column in table.columns),
    )
    advice = (
        f"{name} is made anew, and what the spec does not know would be lost with the old one. Drop it before, and "
        "make it again after. There is"
    )
    return (Check(query, advice),)


def _is_made_anew(before: Inbox, after: Inbox) -> bool:
    old, new = (compile_ddl(CreateTable(build_table(inbox, LITE)), LITE) for inbox in (before, after))
    return old != new
