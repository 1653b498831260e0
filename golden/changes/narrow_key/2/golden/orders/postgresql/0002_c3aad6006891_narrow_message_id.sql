-- Code first: new replicas refuse the keys that no longer fit. Migrate when no old replica is left. It stops where a stored key does not fit.
--
-- An old replica that still runs is refused by the database when it stores such a key, and acknowledges no such message.
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
