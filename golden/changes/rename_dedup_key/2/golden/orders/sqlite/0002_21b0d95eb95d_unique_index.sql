-- Migrate first. The new unique key is there before the old one goes; there is no moment without one.
--
-- Old replicas notice nothing: a claim that either key refuses is looked up by its marker.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.

BEGIN IMMEDIATE;

CREATE UNIQUE INDEX "once_only" ON "inbox" ("message_id", "consumer");

DROP INDEX "ix_inbox_message_id_consumer";

COMMIT;
