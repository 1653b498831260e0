-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

ALTER TABLE "orders_markers" RENAME TO "inbox";

ALTER TABLE "inbox" RENAME CONSTRAINT "pk_orders_markers" TO "pk_inbox";

ALTER TABLE "inbox" RENAME CONSTRAINT "uq_orders_markers_message_id_consumer" TO "uq_inbox_message_id_consumer";

COMMIT;
