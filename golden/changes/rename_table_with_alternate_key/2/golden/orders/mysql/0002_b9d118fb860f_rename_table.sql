-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.
--
-- Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.
--
-- Before the code, give its account the rights on the new name: GRANT SELECT, INSERT ON `orders_markers` TO ...

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'inbox' AND table_type = 'BASE TABLE'), 'DO 0', 'RENAME TABLE `inbox` TO `orders_markers`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'orders_markers' AND index_name = 'uq_orders_markers_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer'), 'DO 0', 'ALTER TABLE `orders_markers` RENAME INDEX `uq_inbox_message_id_consumer` TO `uq_orders_markers_message_id_consumer`');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW `inbox` AS SELECT `id`, `message_id`, `consumer`, `received_at`, `processed_at` FROM `orders_markers`;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
