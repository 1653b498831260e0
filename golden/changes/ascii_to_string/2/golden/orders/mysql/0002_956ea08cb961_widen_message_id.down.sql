-- The way back.
--
-- Locks: The server copies the table, and writers wait until that is done.
--
-- Run this first; it must return no row. inbox has markers whose message_id is not of ASCII alone. Delete them when their messages cannot come again, or keep the type. They are:
-- SELECT `message_id`
-- FROM `inbox`
-- WHERE OCTET_LENGTH(`message_id`) > CHAR_LENGTH(`message_id`);
--
-- Run this first; it must return no row. inbox has markers whose message_id is longer than 64. Delete them when their messages cannot come again, or keep the length. They are, with their length:
-- SELECT `message_id`, CHAR_LENGTH(`message_id`)
-- FROM `inbox`
-- WHERE CHAR_LENGTH(`message_id`) > 64;

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

ALTER TABLE `inbox` MODIFY COLUMN `message_id` VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
