-- The way back.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.

BEGIN IMMEDIATE;

CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer");

DROP INDEX "once_only";

COMMIT;
