-- The way back.
--
-- Locks: The server copies the table, and writers wait until that is done.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
