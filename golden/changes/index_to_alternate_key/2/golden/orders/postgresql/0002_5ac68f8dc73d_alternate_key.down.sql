-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

SET lock_timeout = 0;

DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_consumer"')
        AND NOT indisvalid) THEN
        DROP INDEX "ix_inbox_message_id_consumer";
    END IF;
END
$inbox$;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer");

RESET lock_timeout;

BEGIN;

SET LOCAL lock_timeout = '2s';

DO $inbox$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_consumer"')
        AND indisvalid AND indisready AND indisunique) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique index "ix_inbox_message_id_consumer" is not valid: run this again';
    END IF;
END
$inbox$;

ALTER TABLE "inbox" DROP CONSTRAINT IF EXISTS "uq_inbox_message_id_consumer";

COMMIT;
