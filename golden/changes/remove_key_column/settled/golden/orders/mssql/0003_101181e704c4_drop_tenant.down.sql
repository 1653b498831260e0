-- The way back.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

ALTER TABLE [inbox] ADD [tenant] UNIQUEIDENTIFIER NOT NULL CONSTRAINT [df_inbox_tenant] DEFAULT '00000000-0000-0000-0000-000000000000';
GO

CREATE UNIQUE INDEX [ix_inbox_message_id_tenant_consumer] ON [inbox] ([message_id], [tenant], [consumer]);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
