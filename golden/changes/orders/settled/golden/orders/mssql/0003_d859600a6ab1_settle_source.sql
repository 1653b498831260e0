-- When no old replica is left: it drops the old dedup key, and from here on the new one alone governs. It stops while markers with the backfilled value are younger than the retention, and says from which date it can run.
--
-- An old replica that still runs fails at every message and acknowledges none. To go on before that date: `alembic -x settle_inbox=<table> upgrade ...`.
--
-- Its downgrade stops where two markers would be one under the old key.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.
--
-- Run this first; it must return no row. inbox has markers with the backfilled source, whose messages are taken again if they come again. How many are younger than the retention, the newest, and when all are old enough:
-- SELECT COUNT(*), MAX(COALESCE([processed_at], [received_at])), DATEADD(second, 5708400, MAX(COALESCE([processed_at], [received_at])))
-- FROM [inbox]
-- WHERE [source] = 'shop' AND COALESCE([processed_at], [received_at]) > DATEADD(second, -5708400, SYSUTCDATETIME())
-- HAVING COUNT(*) > 0;

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

ALTER TABLE [inbox] DROP CONSTRAINT [df_inbox_source];
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID(N'[inbox]')
        AND name = N'ix_inbox_message_id_source_consumer' AND is_unique = 1 AND is_disabled = 0)
    THROW 50001, N'the unique key ix_inbox_message_id_source_consumer is missing: nothing was changed', 1;
DROP INDEX [ix_inbox_message_id_consumer] ON [inbox];
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
