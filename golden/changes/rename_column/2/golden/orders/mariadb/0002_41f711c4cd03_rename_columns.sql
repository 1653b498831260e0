-- Two releases. Migrate first, then deploy the code; `inboxgen new ... --settled` writes the second one, once no old replica is left.
--
-- Under one name of the table, old and new replicas would write to different columns. So the table is called inbox_next until the second release, and inbox is a view that shows the columns under their old names: old replicas go on with it. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.
--
-- Before the code, give its account the rights on the new name: GRANT SELECT, INSERT ON `inbox_next` TO ...

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `inbox_next`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND column_name = 'message_id'), 'DO 0', 'ALTER TABLE `inbox_next` RENAME COLUMN `message_id` TO `event_id`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox_next' AND index_name = 'ix_inbox_event_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'event_id,consumer'), 'DO 0', 'ALTER TABLE `inbox_next` RENAME INDEX `ix_inbox_message_id_consumer` TO `ix_inbox_event_id_consumer`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `event_id` AS `message_id`, `consumer`, `received_at`, `processed_at` FROM `inbox_next`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
