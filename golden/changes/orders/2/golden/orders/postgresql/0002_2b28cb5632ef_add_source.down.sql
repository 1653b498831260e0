-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

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

DROP INDEX IF EXISTS "ix_inbox_message_id_source_consumer";

ALTER TABLE "inbox" DROP COLUMN IF EXISTS "source";

COMMIT;
