-- Code first: new replicas refuse the keys that no longer fit. Migrate when no old replica is left. It stops where a stored key does not fit.
--
-- An old replica that still runs is refused by the database when it stores such a key, and acknowledges no such message.
--
-- Locks: The server copies the table, and writers wait until that is done.
--
-- Run this first; it must return no row. inbox has markers whose message_id is longer than 100. Delete them when their messages cannot come again, or keep the length. They are, with their length:
-- SELECT `message_id`, CHAR_LENGTH(`message_id`)
-- FROM `inbox`
-- WHERE CHAR_LENGTH(`message_id`) > 100;

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
