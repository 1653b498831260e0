-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

ALTER TABLE "inbox_next" RENAME TO "inbox";

ALTER TABLE "inbox" RENAME COLUMN "event_id" TO "message_id";

ALTER INDEX "ix_inbox_event_id_consumer" RENAME TO "ix_inbox_message_id_consumer";

COMMIT;
