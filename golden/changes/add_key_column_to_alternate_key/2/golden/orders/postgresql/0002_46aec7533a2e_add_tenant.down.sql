-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"uq_inbox_message_id_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "uq_inbox_message_id_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

ALTER TABLE "inbox" DROP CONSTRAINT IF EXISTS "uq_inbox_tenant_message_id_consumer";

ALTER TABLE "inbox" DROP COLUMN IF EXISTS "tenant";

COMMIT;
