-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.
--
-- Run this first; it must return no row. inbox has more than one marker with the same message_id, consumer. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT "message_id", "consumer", COUNT(*)
-- FROM "inbox"
-- GROUP BY "message_id", "consumer"
-- HAVING COUNT(*) > 1;

SET lock_timeout = 0;

DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_consumer"')
        AND indrelid = to_regclass('"inbox"') AND NOT indisvalid) THEN
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
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_inbox_message_id_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

ALTER TABLE "inbox" ALTER COLUMN "source" SET DEFAULT 'shop';

COMMIT;
