-- Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of it, once no old replica is left and no marker of theirs is younger than the retention.
--
-- Old replicas go on: the database fills the column in for them. Until the end the old key governs beside the new one: a message that differs from a marker in the new column alone is raised (RefusedWithoutMarker), never acknowledged and never applied twice. Such messages end in the dead letters; replay them after the end.
--
-- Its downgrade forgets the column's values: stop the new replicas first.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'inbox' AND column_name = 'tenant'), 'DO 0', 'ALTER TABLE `inbox` ADD COLUMN `tenant` VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL DEFAULT ''main''');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'ix_inbox_message_id_tenant_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,tenant,consumer'), 'DO 0', 'ALTER TABLE `inbox` ADD UNIQUE INDEX `ix_inbox_message_id_tenant_consumer` (`message_id`, `tenant`, `consumer`), ALGORITHM=INPLACE, LOCK=NONE');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
