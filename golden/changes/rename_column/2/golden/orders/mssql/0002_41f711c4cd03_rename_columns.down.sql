-- The way back.
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

EXEC sp_rename N'[inbox].[event_id]', N'message_id', N'COLUMN';
GO

DECLARE @key nvarchar(max) = (
    SELECT N'[inbox].' + QUOTENAME(name) FROM sys.key_constraints
    WHERE parent_object_id = OBJECT_ID(N'[inbox]') AND type = 'PK' AND name <> N'pk_inbox'
);
IF @key IS NOT NULL
    EXEC sp_rename @key, N'pk_inbox', N'INDEX';
GO

EXEC sp_rename N'[inbox].[ix_inbox_event_id_consumer]', N'ix_inbox_message_id_consumer', N'INDEX';
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
