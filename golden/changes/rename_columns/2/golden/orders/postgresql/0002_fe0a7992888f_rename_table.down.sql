-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

ALTER TABLE "orders_markers" RENAME TO "inbox";

ALTER TABLE "inbox" RENAME COLUMN "event_id" TO "message_id";

ALTER TABLE "inbox" RENAME COLUMN "handler" TO "consumer";

ALTER TABLE "inbox" RENAME COLUMN "done_at" TO "processed_at";

ALTER TABLE "inbox" RENAME CONSTRAINT "pk_orders_markers" TO "pk_inbox";

ALTER INDEX "ix_orders_markers_event_id_tenant_handler" RENAME TO "ix_inbox_message_id_tenant_consumer";

COMMIT;
