"""The table under another name or in another schema, and its old name, kept for old replicas."""

from __future__ import annotations

from dataclasses import replace

from inboxgen.changes import on_mssql, on_mysql, on_postgresql, sql
from inboxgen.changes.columns import names, renamed
from inboxgen.changes.on_mssql import unicode
from inboxgen.dialects.literals import text
from inboxgen.model import Dialect, Inbox

PG, MS = Dialect.POSTGRESQL, Dialect.MSSQL
RIGHTS = ("SELECT", "INSERT", "UPDATE", "DELETE")


def move(dialect: Dialect, old: Inbox, new: Inbox) -> list[str]:
    """Rename the table, move it to its schema, and rename its keys."""
    match dialect:
        case Dialect.POSTGRESQL:
            return _move_on_postgresql(old, new)
        case Dialect.MSSQL:
            return _move_on_mssql(old, new)
        case _:
            here, there = (sql.table_name(dialect, inbox) for inbox in (old, new))
            key = replace(new.dedup, name=old.dedup.name)
            return [
                *on_mysql.unless(f"NOT {on_mysql.has_table(old)}", f"RENAME TABLE {here} TO {there}"),
                *on_mysql.rename_columns(dialect, new, renamed(old, new)),
                *on_mysql.rename_key(dialect, new, key, new.dedup.name),
            ]


def keep_old_name(dialect: Dialect, old: Inbox, new: Inbox) -> list[str]:
    """Let old replicas find the table under its old names, with the rights that they have on it."""
    here, there = (sql.table_name(dialect, inbox) for inbox in (old, new))
    columns = ", ".join(
        sql.quoted(dialect, now) + (f" AS {sql.quoted(dialect, was)}" if was != now else "")
        for was, now in names(old, new)
    )
    select = f"SELECT {columns} FROM {there}"
    if dialect is MS:
        keep = f"CREATE VIEW {here} AS {select}" if renamed(old, new) else f"CREATE SYNONYM {here} FOR {there}"
        return [keep, _grants_on_mssql(here, there)]
    if dialect is PG:
        return [f"CREATE VIEW {here} AS {select}", _grants_on_postgresql(here, there)]
    # Rights go by the name here: those on the old name hold for the view, which reads with its creator's.
    return [f"CREATE OR REPLACE SQL SECURITY DEFINER VIEW {here} AS {select}"]


def drop_old_name(dialect: Dialect, old: Inbox, new: Inbox) -> list[str]:
    """Take the old name away."""
    here = sql.table_name(dialect, old)
    if dialect is MS:
        return [f"DROP VIEW {here}" if renamed(old, new) else f"DROP SYNONYM {here}"]
    if dialect is PG:
        return [f"DROP VIEW IF EXISTS {here}"]
    # IF EXISTS is no help where the table has that name already.
    return on_mysql.unless(f"NOT {on_mysql.has_view(old)}", f"DROP VIEW {here}")


def by_hand(dialect: Dialect, old: Inbox, new: Inbox) -> str:
    """What the database does not take over: rights, where they go by the name, or belong to the schema."""
    if dialect is PG:
        # Rights on the table go with it; the one to look into its schema is the schema's.
        moved = new.table.schema and old.table.schema != new.table.schema
        grant = f"GRANT USAGE ON SCHEMA {sql.quoted(PG, new.table.schema or '')} TO ..."
        return f"Before it, give the account of the code the schema: {grant}" if moved else ""
    if dialect is MS and old.table.schema == new.table.schema:
        return ""
    return (
        "Before the code, give its account the rights on the new name: "
        f"GRANT SELECT, INSERT ON {sql.table_name(dialect, new)} TO ..."
    )


def _move_on_postgresql(old: Inbox, new: Inbox) -> list[str]:
    before, after = old.table, new.table
    statements = []
    if before.name != after.name:
        statements.append(f"ALTER TABLE {sql.table_name(PG, old)} RENAME TO {sql.quoted(PG, after.name)}")
    if before.schema != after.schema:
        move = f"ALTER TABLE {sql.in_schema(PG, before, after.name)} SET SCHEMA "
        if after.schema:
            statements.append(move + sql.quoted(PG, after.schema))
        else:
            own = f"EXECUTE {text(move)} || quote_ident(current_schema())"
            statements.append(f"DO $inbox$\nBEGIN\n    {own};\nEND\n$inbox$")
    statements += on_postgresql.rename_columns(new, renamed(old, new))
    if before.primary_key != after.primary_key:
        statements.append(on_postgresql.rename_primary_key(new, after.primary_key))
    return [*statements, *on_postgresql.rename_key(new, old.dedup, new.dedup.name)]


def _move_on_mssql(old: Inbox, new: Inbox) -> list[str]:
    before, after = old.table, new.table
    statements = []
    if before.name != after.name:
        statements.append(f"EXEC sp_rename {unicode(sql.table_name(MS, old))}, {unicode(after.name)}")
    if before.schema != after.schema:
        transfer = f" TRANSFER {sql.in_schema(MS, before, after.name)}"
        if after.schema:
            statements.append(f"ALTER SCHEMA {sql.quoted(MS, after.schema)}{transfer}")
        else:
            own = f"N'ALTER SCHEMA ' + QUOTENAME(SCHEMA_NAME()) + {unicode(transfer)}"
            statements.append(f"DECLARE @move nvarchar(max) = {own};\nEXEC (@move)")
    return [
        *statements,
        *on_mssql.rename_columns(new, renamed(old, new)),
        *on_mssql.rename_primary_key(new, after.primary_key),
        *on_mssql.rename_key(new, old.dedup, new.dedup.name),
    ]


def _grants_on_postgresql(here: str, there: str) -> str:
    rights = ", ".join(text(right) for right in RIGHTS)
    return (
        "DO $inbox$\nDECLARE held record;\nBEGIN\n"
        "    FOR held IN\n"
        "        SELECT privilege_type,\n"
        "            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role\n"
        f"        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass({text(there)})\n"
        f"            AND privilege_type IN ({rights})\n"
        "    LOOP\n"
        f"        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || {text(here)} || ' TO ' || held.role;\n"
        "    END LOOP;\nEND\n$inbox$"
    )


def _grants_on_mssql(here: str, there: str) -> str:
    rights = ", ".join(text(right) for right in RIGHTS)
    return (
        "DECLARE @grants nvarchar(max) = N'';\n"
        f"SELECT @grants += N'GRANT ' + permission_name + {unicode(f' ON {here} TO ')}\n"
        "    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '\n"
        "FROM sys.database_permissions\n"
        f"WHERE class = 1 AND major_id = OBJECT_ID({unicode(there)}) AND minor_id = 0 AND state IN ('G', 'W')\n"
        f"    AND permission_name IN ({rights});\n"
        "EXEC (@grants)"
    )
