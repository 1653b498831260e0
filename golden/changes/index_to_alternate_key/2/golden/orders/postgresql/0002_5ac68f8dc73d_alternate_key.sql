-- Migrate first. The new unique key is there before the old one goes; there is no moment without one.
--
-- Old replicas notice nothing: a claim that either key refuses is looked up by its marker.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" ADD CONSTRAINT "uq_inbox_message_id_consumer" UNIQUE USING INDEX "ix_inbox_message_id_consumer";

COMMIT;
