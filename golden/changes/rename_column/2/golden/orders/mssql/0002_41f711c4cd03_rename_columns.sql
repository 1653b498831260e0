-- Two releases. Migrate first, then deploy the code; `inboxgen new ... --settled` writes the second one, once no old replica is left.
--
-- Under one name of the table, old and new replicas would write to different columns. So the table is called inbox_next until the second release, and inbox is a view that shows the columns under their old names: old replicas go on with it. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

EXEC sp_rename N'[inbox]', N'inbox_next';
GO

EXEC sp_rename N'[inbox_next].[message_id]', N'event_id', N'COLUMN';
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[inbox_next].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox_next]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
GO

EXEC sp_rename N'[inbox_next].[ix_inbox_message_id_consumer]', N'ix_inbox_event_id_consumer', N'INDEX';
GO

CREATE VIEW [inbox] AS SELECT [id], [event_id] AS [message_id], [consumer], [received_at], [processed_at] FROM [inbox_next];
GO

DECLARE @grants nvarchar(max) = N'';
SELECT @grants += N'GRANT ' + permission_name + N' ON [inbox] TO '
    + QUOTENAME(USER_NAME(grantee_principal_id)) + N'; '
FROM sys.database_permissions
WHERE class = 1 AND major_id = OBJECT_ID(N'[inbox_next]') AND minor_id = 0 AND state IN ('G', 'W')
    AND permission_name IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE');
EXEC (@grants);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
