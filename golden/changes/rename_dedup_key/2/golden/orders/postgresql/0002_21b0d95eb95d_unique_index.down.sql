-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER INDEX "once_only" RENAME TO "ix_inbox_message_id_consumer";

COMMIT;
