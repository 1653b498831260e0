-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.
--
-- Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- The schema has to be there, and `alembic check` looks into it only with `include_schemas=True` in env.py.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.
--
-- Before the code, give its account the rights on the new name: GRANT SELECT, INSERT ON [messaging].[inbox] TO ...

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

ALTER SCHEMA [messaging] TRANSFER [inbox];
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[messaging].[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[messaging].[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
GO

CREATE SYNONYM [inbox] FOR [messaging].[inbox];
GO

DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[messaging].[inbox]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
