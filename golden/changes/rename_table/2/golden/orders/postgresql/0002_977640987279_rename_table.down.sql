-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

ALTER TABLE "orders_markers" RENAME TO "inbox";

DO $inbox$
DECLARE
    held text := (SELECT conname FROM pg_constraint WHERE conrelid = to_regclass('"inbox"') AND contype = 'p');
BEGIN
    IF held <> 'pk_inbox' THEN
        EXECUTE format('ALTER TABLE "inbox" RENAME CONSTRAINT %I TO %I', held, 'pk_inbox');
    END IF;
END
$inbox$;

ALTER INDEX "ix_orders_markers_message_id_consumer" RENAME TO "ix_inbox_message_id_consumer";

COMMIT;
