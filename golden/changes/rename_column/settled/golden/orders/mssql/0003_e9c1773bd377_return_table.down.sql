-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP SYNONYM [inbox_next];
GO

EXEC sp_rename N'[inbox]', N'inbox_next';
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[inbox_next].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox_next]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
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
