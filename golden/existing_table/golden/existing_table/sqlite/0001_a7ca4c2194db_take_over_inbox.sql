-- Migrate first: the table that exists becomes the inbox. It keeps its rows and gets the dedup key; nothing else of it is altered. It stops where the table is not what the spec says, and where two rows are one message.
--
-- Whoever writes to it already goes on, and is refused by the database when a key is written twice.
--
-- Its downgrade leaves table and key as they are.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.
--
-- Run this first; it must return no row. processed_messages is not a plain table, whose rows are kept and are rolled back with a transaction. It is:
-- SELECT type, sql FROM sqlite_master
-- WHERE name = 'processed_messages' AND (type <> 'table' OR UPPER(sql) LIKE 'CREATE VIRTUAL%');
--
-- Run this first; it must return no row. processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have:
-- SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
-- FROM (
--     SELECT 'message_id' AS name, 'varchar(100) not null' AS type
--     UNION ALL SELECT 'handler' AS name, 'varchar(200) not null' AS type
--     UNION ALL SELECT 'id' AS name, 'any' AS type
--     UNION ALL SELECT 'created_at' AS name, 'any' AS type
--     UNION ALL SELECT 'done_at' AS name, 'any' AS type
-- ) AS wanted
-- LEFT JOIN (
--     SELECT name, LOWER(type) || CASE "notnull" WHEN 1 THEN ' not null' ELSE '' END AS type
--     FROM pragma_table_info('processed_messages')
-- ) AS found ON found.name = wanted.name
-- WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type = wanted.type);
--
-- Run this first; it must return no row. ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages. Give the key another name in `names: {dedup_key: ...}`. It is:
-- SELECT name FROM sqlite_master
-- WHERE type = 'index' AND name = 'ix_processed_messages_message_id_handler' COLLATE NOCASE AND NOT EXISTS (
--     SELECT 1 FROM pragma_index_list('processed_messages') AS kept
--     WHERE kept.name = 'ix_processed_messages_message_id_handler' COLLATE NOCASE AND kept."unique" AND NOT kept.partial
--         AND 'message_id, handler' COLLATE NOCASE = (SELECT group_concat(name, ', ') FROM pragma_index_info('ix_processed_messages_message_id_handler'))
--         AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo('ix_processed_messages_message_id_handler') WHERE key AND coll <> 'BINARY')
-- );
--
-- Run this first; it must return no row. processed_messages compares a column without case or trailing blanks, so two messages would be one. Make the table anew without that. It was made by:
-- SELECT sql FROM sqlite_master
-- WHERE type = 'table' AND name = 'processed_messages' AND (UPPER(sql) LIKE '%NOCASE%' OR UPPER(sql) LIKE '%RTRIM%');
--
-- Run this first; it must return no row. processed_messages has columns that the spec does not know, and a later change, which makes the table anew on SQLite, would lose them. They are:
-- SELECT name FROM pragma_table_info('processed_messages')
-- WHERE name NOT IN ('id', 'message_id', 'handler', 'created_at', 'done_at');
--
-- Run this first; it must return no row. processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT "message_id", "handler", COUNT(*)
-- FROM "processed_messages"
-- GROUP BY "message_id", "handler"
-- HAVING COUNT(*) > 1;

BEGIN IMMEDIATE;

CREATE UNIQUE INDEX IF NOT EXISTS "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler");

COMMIT;
