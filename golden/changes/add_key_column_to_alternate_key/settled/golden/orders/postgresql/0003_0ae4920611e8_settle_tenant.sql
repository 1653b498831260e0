-- When no old replica is left: it drops the old dedup key, and from here on the new one alone governs. It stops while markers with the backfilled value are younger than the retention, and says from which date it can run.
--
-- An old replica that still runs fails at every message and acknowledges none. To go on before that date: `alembic -x settle_inbox=<table> upgrade ...`.
--
-- Its downgrade stops where two markers would be one under the old key.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.
--
-- Run this first; it must return no row. inbox has markers with the backfilled tenant, whose messages are taken again if they come again. How many are younger than the retention, the newest, and when all are old enough:
-- SELECT COUNT(*), MAX(COALESCE("processed_at", "received_at")), MAX(COALESCE("processed_at", "received_at")) + INTERVAL '435000 seconds'
-- FROM "inbox"
-- WHERE "tenant" = -1 AND COALESCE("processed_at", "received_at") > clock_timestamp() - INTERVAL '435000 seconds'
-- HAVING COUNT(*) > 0;

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ALTER COLUMN "tenant" DROP DEFAULT;

DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"uq_inbox_tenant_message_id_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 3 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['tenant', 'message_id', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "uq_inbox_tenant_message_id_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

ALTER TABLE "inbox" DROP CONSTRAINT IF EXISTS "uq_inbox_message_id_consumer";

COMMIT;
