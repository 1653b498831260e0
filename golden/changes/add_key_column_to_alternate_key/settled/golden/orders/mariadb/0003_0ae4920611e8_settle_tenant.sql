-- When no old replica is left: it drops the old dedup key, and from here on the new one alone governs. It stops while markers with the backfilled value are younger than the retention, and says from which date it can run.
--
-- An old replica that still runs fails at every message and acknowledges none. To go on before that date: `alembic -x settle_inbox=<table> upgrade ...`.
--
-- Its downgrade stops where two markers would be one under the old key.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.
--
-- Run this first; it must return no row. inbox has markers with the backfilled tenant, whose messages are taken again if they come again. How many are younger than the retention, the newest, and when all are old enough:
-- SELECT COUNT(*), MAX(COALESCE(`processed_at`, `received_at`)), MAX(COALESCE(`processed_at`, `received_at`)) + INTERVAL 435000 SECOND
-- FROM `inbox`
-- WHERE `tenant` = -1 AND COALESCE(`processed_at`, `received_at`) > UTC_TIMESTAMP(6) - INTERVAL 435000 SECOND
-- HAVING COUNT(*) > 0;

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

ALTER TABLE `inbox` ALTER COLUMN `tenant` DROP DEFAULT;

SET @inbox_step = IF(NOT EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'uq_inbox_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,consumer') OR NOT EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'inbox' AND index_name = 'uq_inbox_tenant_message_id_consumer' HAVING MAX(non_unique) = 0 AND COUNT(*) = 3 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'tenant,message_id,consumer'), 'DO 0', 'ALTER TABLE `inbox` DROP INDEX `uq_inbox_message_id_consumer`, ALGORITHM=INPLACE, LOCK=NONE');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
