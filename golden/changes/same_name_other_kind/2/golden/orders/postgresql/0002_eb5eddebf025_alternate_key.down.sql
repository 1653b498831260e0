-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

SET lock_timeout = 0;

DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"once_only_new"')
        AND indrelid = to_regclass('"inbox"') AND NOT indisvalid) THEN
        DROP INDEX "once_only_new";
    END IF;
END
$inbox$;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "once_only_new" ON "inbox" ("message_id", "consumer");

RESET lock_timeout;

BEGIN;

SET LOCAL lock_timeout = '2s';

DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"once_only_new"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "once_only_new" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

ALTER TABLE "inbox" DROP CONSTRAINT IF EXISTS "once_only";

ALTER INDEX "once_only_new" RENAME TO "once_only";

COMMIT;
