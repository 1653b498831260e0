-- Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of it, once no old replica is left and no marker of theirs is younger than the retention.
--
-- Old replicas go on: the database fills the column in for them. Until the end the old key governs beside the new one: a message that differs from a marker in the new column alone is raised (RefusedWithoutMarker), never acknowledged and never applied twice. Such messages end in the dead letters; replay them after the end.
--
-- Its downgrade forgets the column's values: stop the new replicas first.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ADD COLUMN IF NOT EXISTS "tenant" VARCHAR(40) COLLATE "C" DEFAULT 'main' NOT NULL;

COMMIT;

SET lock_timeout = 0;

DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_tenant_consumer"')
        AND indrelid = to_regclass('"inbox"') AND NOT indisvalid) THEN
        DROP INDEX "ix_inbox_message_id_tenant_consumer";
    END IF;
END
$inbox$;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ix_inbox_message_id_tenant_consumer" ON "inbox" ("message_id", "tenant", "consumer");

RESET lock_timeout;

BEGIN;

SET LOCAL lock_timeout = '2s';

DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_inbox_message_id_tenant_consumer"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"inbox"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 3 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'tenant', 'consumer']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_inbox_message_id_tenant_consumer" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

COMMIT;
