-- When no replica is left that knows the columns' old names: migrate first, then deploy the code, the second release. `inboxgen new ... --settled` drops the name inbox_next once no replica of the first release is left.
--
-- The table is called inbox again, and inbox_next is a view of it (on SQL Server a synonym): replicas of the first release go on with it. On MySQL and MariaDB they fail for a moment, and redelivery brings those messages back. On SQLite stop them first.
--
-- A replica from before the first release that still runs does not find its columns, and acknowledges nothing.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP VIEW [inbox];
GO

EXEC sp_rename N'[inbox_next]', N'inbox';
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
GO

CREATE SYNONYM [inbox_next] FOR [inbox];
GO

DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox_next] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[inbox]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
