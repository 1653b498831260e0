-- The way back.
--
-- Locks: The server reads the whole table meanwhile, and writers wait. Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.
--
-- Run this first; it must return no row. inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length:
-- SELECT "message_id", CHAR_LENGTH("message_id")
-- FROM "inbox"
-- WHERE CHAR_LENGTH("message_id") > 100;

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ALTER COLUMN "message_id" TYPE VARCHAR(100) COLLATE "C";

COMMIT;
