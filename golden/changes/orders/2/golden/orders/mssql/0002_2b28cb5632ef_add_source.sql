-- Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of it, once no old replica is left and no marker of theirs is younger than the retention.
--
-- Old replicas go on: the database fills the column in for them. Until the end the old key governs beside the new one: a message that differs from a marker in the new column alone is raised (RefusedWithoutMarker), never acknowledged and never applied twice. Such messages end in the dead letters; replay them after the end.
--
-- Its downgrade forgets the column's values: stop the new replicas first.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

ALTER TABLE [inbox] ADD [source] VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL CONSTRAINT [df_inbox_source] DEFAULT 'shop';
GO

CREATE UNIQUE INDEX [ix_inbox_message_id_source_consumer] ON [inbox] ([message_id], [source], [consumer]);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
