-- Migrate first: the table that exists becomes the inbox. It keeps its rows and gets the dedup key; nothing else of it is altered. It stops where the table is not what the spec says, and where two rows are one message.
--
-- Whoever writes to it already goes on, and is refused by the database when a key is written twice.
--
-- Its downgrade leaves table and key as they are.
--
-- Locks: Writers go on while it works; each statement waits at most 5 seconds for its lock, and then fails; run the revision again.
--
-- Run this first; it must return no row. processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is:
-- SELECT table_type, engine FROM information_schema.tables
-- WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
--     AND (table_type <> 'BASE TABLE' OR engine <> 'InnoDB');
--
-- Run this first; it must return no row. processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have:
-- SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
-- FROM (
--     SELECT 'message_id' AS name, 'varchar(100) collate utf8mb4_0900_bin not null' AS type
--     UNION ALL SELECT 'handler' AS name, 'varchar(200) collate utf8mb4_0900_bin not null' AS type
--     UNION ALL SELECT 'id' AS name, 'any' AS type
--     UNION ALL SELECT 'created_at' AS name, 'any' AS type
--     UNION ALL SELECT 'done_at' AS name, 'any' AS type
-- ) AS wanted
-- LEFT JOIN (
--     SELECT column_name AS name, CONCAT(
--         data_type, COALESCE(CONCAT('(', character_maximum_length, ')'), ''),
--         COALESCE(CONCAT(' collate ', collation_name), ''), IF(is_nullable = 'NO', ' not null', '')
--     ) AS type
--     FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = 'processed_messages'
-- ) AS found ON CAST(found.name AS BINARY) = CAST(wanted.name AS BINARY)
-- WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT CAST(found.type AS BINARY) = CAST(wanted.type AS BINARY));
--
-- Run this first; it must return no row. processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are:
-- SELECT column_name FROM information_schema.columns
-- WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name NOT IN ('message_id', 'handler', 'created_at', 'done_at')
--     AND (is_nullable = 'NO' OR column_name = 'id') AND column_default IS NULL
--     AND extra NOT LIKE '%auto_increment%' AND extra NOT LIKE '%GENERATED%';
--
-- Run this first; it must return no row. ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is:
-- SELECT index_name FROM information_schema.statistics
-- WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler'
-- GROUP BY index_name
-- HAVING MAX(non_unique) = 1 OR MAX(sub_part) IS NOT NULL OR MAX(column_name IS NULL) = 1
--     OR CAST(GROUP_CONCAT(column_name ORDER BY seq_in_index SEPARATOR ', ') AS BINARY) <> CAST('message_id, handler' AS BINARY);
--
-- Run this first; it must return no row. processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types:
-- SELECT column_name, column_type FROM information_schema.columns
-- WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND column_name IN ('created_at', 'done_at')
--     AND data_type <> 'datetime';
--
-- Run this first; it must return no row. processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT `message_id`, `handler`, COUNT(*)
-- FROM `processed_messages`
-- GROUP BY `message_id`, `handler`
-- HAVING COUNT(*) > 1;

SET SESSION lock_wait_timeout = 5, sql_mode = CONCAT(@@sql_mode, ',STRICT_ALL_TABLES');

SET @inbox_step = IF(EXISTS (SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = 'processed_messages' AND index_name = 'ix_processed_messages_message_id_handler' HAVING MAX(non_unique) = 0 AND COUNT(*) = 2 AND GROUP_CONCAT(IF(sub_part IS NULL, column_name, NULL) ORDER BY seq_in_index) = 'message_id,handler'), 'DO 0', 'ALTER TABLE `processed_messages` ADD UNIQUE INDEX `ix_processed_messages_message_id_handler` (`message_id`, `handler`), ALGORITHM=INPLACE, LOCK=NONE');

PREPARE inbox_step FROM @inbox_step;

EXECUTE inbox_step;

DEALLOCATE PREPARE inbox_step;

SET SESSION lock_wait_timeout = DEFAULT, sql_mode = DEFAULT;
