-- The way back.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `tenant`, `handler` AS `consumer`, `received_at`, `done_at` AS `processed_at` FROM `orders_markers`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
