-- When no old replica is left: it drops the table's old name.
--
-- An old replica that still runs finds no table, and acknowledges nothing.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'VIEW'), 'DO 0', 'DROP VIEW `inbox`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
