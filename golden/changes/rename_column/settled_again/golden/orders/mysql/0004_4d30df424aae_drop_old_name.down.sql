-- The way back.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox_next` AS SELECT `id`, `event_id`, `consumer`, `received_at`, `processed_at` FROM `inbox`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
