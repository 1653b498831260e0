-- The way back.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox_next`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `inbox_next`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `consumer`, `received_at`, `processed_at` FROM `inbox_next`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
