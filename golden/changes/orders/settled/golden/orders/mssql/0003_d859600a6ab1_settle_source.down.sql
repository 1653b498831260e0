-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.
--
-- Run this first; it must return no row. inbox has more than one marker with the same message_id, consumer. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT [message_id], [consumer], COUNT(*)
-- FROM [inbox]
-- GROUP BY [message_id], [consumer]
-- HAVING COUNT(*) > 1;

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

CREATE UNIQUE INDEX [ix_inbox_message_id_consumer] ON [inbox] ([message_id], [consumer]);
GO

ALTER TABLE [inbox] ADD CONSTRAINT [df_inbox_source] DEFAULT 'shop' FOR [source];
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
