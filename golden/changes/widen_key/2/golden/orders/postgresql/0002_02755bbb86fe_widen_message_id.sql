-- Migrate first: new replicas store keys that did not fit before.
--
-- Old replicas go on, and refuse the keys that do not fit them as they did; such messages wait for a new replica.
--
-- Its downgrade stops where a key would not fit any more.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ALTER COLUMN "message_id" TYPE VARCHAR(400) COLLATE "C";

COMMIT;
