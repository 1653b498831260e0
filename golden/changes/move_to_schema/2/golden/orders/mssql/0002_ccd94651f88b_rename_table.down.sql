-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP SYNONYM [inbox];
GO

DECLARE @move nvarchar(max) = N'ALTER SCHEMA ' + QUOTENAME(SCHEMA_NAME()) + N' TRANSFER [messaging].[inbox]';
EXEC (@move);
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
