-- Code first: new replicas refuse the keys that no longer fit. Migrate when no old replica is left. It stops where a stored key does not fit.
--
-- An old replica that still runs is refused by the database when it stores such a key, and acknowledges no such message.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.
--
-- Run this first; it must return no row. inbox has markers whose message_id is not of ASCII alone. Delete them when their messages cannot come again, or keep the type. They are:
-- SELECT [message_id]
-- FROM [inbox]
-- WHERE [message_id] LIKE N'%[^' + NCHAR(1) + N'-' + NCHAR(127) + N']%' COLLATE Latin1_General_100_BIN2;
--
-- Run this first; it must return no row. inbox has markers whose message_id is longer than 64. Delete them when their messages cannot come again, or keep the length. They are, with their length:
-- SELECT [message_id], DATALENGTH([message_id]) / 2
-- FROM [inbox]
-- WHERE DATALENGTH([message_id]) / 2 > 64;

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP INDEX [ix_inbox_message_id_consumer] ON [inbox];
ALTER TABLE [inbox] ALTER COLUMN [message_id] VARCHAR(64) COLLATE Latin1_General_100_BIN2 NOT NULL;
CREATE UNIQUE INDEX [ix_inbox_message_id_consumer] ON [inbox] ([message_id], [consumer]);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
