-- Migrate first: new replicas store keys that did not fit before.
--
-- Old replicas go on, and refuse the keys that do not fit them as they did; such messages wait for a new replica.
--
-- Its downgrade stops where a key would not fit any more.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

ALTER TABLE [inbox] ALTER COLUMN [message_id] NVARCHAR(400) COLLATE Latin1_General_100_BIN2 NOT NULL;
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
