-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops old key and column once no old replica is left. It stops where two markers would be one under the new key.
--
-- Old replicas go on. From here on the new key governs: a message that differs from a marker in the removed column alone is raised by old replicas, never acknowledged, and a duplicate to new ones.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.
--
-- Run this first; it must return no row. inbox has more than one marker with the same message_id, consumer. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT `message_id`, `consumer`, COUNT(*)
-- FROM `inbox`
-- GROUP BY `message_id`, `consumer`
-- HAVING COUNT(*) > 1;

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` ADD UNIQUE INDEX `ix_inbox_message_id_consumer` (`message_id`, `consumer`), ALGORITHM=INPLACE, LOCK=NONE');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

ALTER TABLE `inbox` ALTER COLUMN `tenant` SET DEFAULT X'00000000000000000000000000000000';

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
