-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.
--
-- Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

EXEC sp_rename N'[inbox]', N'orders_markers';
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[orders_markers].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[orders_markers]') AND type = 'PK' AND name <> N'pk_orders_markers'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_orders_markers', N'INDEX';
GO

EXEC sp_rename N'[orders_markers].[ix_inbox_message_id_consumer]', N'ix_orders_markers_message_id_consumer', N'INDEX';
GO

CREATE SYNONYM [inbox] FOR [orders_markers];
GO

DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[orders_markers]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
