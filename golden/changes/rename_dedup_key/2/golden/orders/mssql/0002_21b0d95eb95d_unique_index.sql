-- Migrate first. The new unique key is there before the old one goes; there is no moment without one.
--
-- Old replicas notice nothing: a claim that either key refuses is looked up by its marker.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

EXEC sp_rename N'[inbox].[ix_inbox_message_id_consumer]', N'once_only', N'INDEX';
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
