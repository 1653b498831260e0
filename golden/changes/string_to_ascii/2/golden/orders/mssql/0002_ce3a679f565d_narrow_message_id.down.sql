-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP INDEX [ix_inbox_message_id_consumer] ON [inbox];
ALTER TABLE [inbox] ALTER COLUMN [message_id] NVARCHAR(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
CREATE UNIQUE INDEX [ix_inbox_message_id_consumer] ON [inbox] ([message_id], [consumer]);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
