-- When no replica is left that knows the columns' old names: migrate first, then deploy the code, the second release. `inboxgen new ... --settled` drops the name inbox_next once no replica of the first release is left.
--
-- The table is called inbox again, and inbox_next is a view of it (on SQL Server a synonym): replicas of the first release go on with it. On MySQL and MariaDB they fail for a moment, and redelivery brings those messages back. On SQLite stop them first.
--
-- A replica from before the first release that still runs does not find its columns, and acknowledges nothing.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox_next` TO `inbox`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox_next` AS SELECT `id`, `event_id`, `consumer`, `received_at`, `processed_at` FROM `inbox`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
