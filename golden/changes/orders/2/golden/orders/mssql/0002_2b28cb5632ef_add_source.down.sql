-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID(N'[inbox]')
        AND name = N'ix_inbox_message_id_consumer' AND is_unique = 1 AND is_disabled = 0)
    THROW 50001, N'the unique key ix_inbox_message_id_consumer is missing: nothing was changed', 1;
DROP INDEX [ix_inbox_message_id_source_consumer] ON [inbox];
GO

ALTER TABLE [inbox] DROP CONSTRAINT [df_inbox_source];
GO

ALTER TABLE [inbox] DROP COLUMN [source];
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
