-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ALTER COLUMN "message_id" TYPE VARCHAR(400) COLLATE "C";

COMMIT;
