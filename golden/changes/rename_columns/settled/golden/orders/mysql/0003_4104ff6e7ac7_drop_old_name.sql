-- When no old replica is left: it drops the table's old name.
--
-- An old replica that still runs finds no table, and acknowledges nothing.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

DROP VIEW IF EXISTS `inbox`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
