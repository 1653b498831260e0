-- Migrate first: the table that exists becomes the inbox. It keeps its rows and gets the dedup key; nothing else of it is altered. It stops where the table is not what the spec says, and where two rows are one message.
--
-- Whoever writes to it already goes on, and is refused by the database when a key is written twice.
--
-- Its downgrade leaves table and key as they are.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.
--
-- Run this first; it must return no row. processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is:
-- SELECT type_desc FROM sys.objects
-- WHERE object_id = OBJECT_ID('[processed_messages]') AND type <> 'U';
--
-- Run this first; it must return no row. processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have:
-- SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
-- FROM (
--     SELECT 'message_id' AS name, 'nvarchar(100) collate latin1_general_100_bin2 not null' AS type
--     UNION ALL SELECT 'handler' AS name, 'nvarchar(200) collate latin1_general_100_bin2 not null' AS type
--     UNION ALL SELECT 'id' AS name, 'any' AS type
--     UNION ALL SELECT 'created_at' AS name, 'any' AS type
--     UNION ALL SELECT 'done_at' AS name, 'any' AS type
-- ) AS wanted
-- LEFT JOIN (
--     SELECT COLUMN_NAME AS name, LOWER(CONCAT(
--         DATA_TYPE, '(' + CAST(CHARACTER_MAXIMUM_LENGTH AS varchar(10)) + ')', ' collate ' + COLLATION_NAME,
--         CASE IS_NULLABLE WHEN 'NO' THEN ' not null' END
--     )) AS type
--     FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = SCHEMA_NAME() AND TABLE_NAME = 'processed_messages'
-- ) AS found ON found.name COLLATE Latin1_General_100_BIN2 = wanted.name COLLATE Latin1_General_100_BIN2
-- WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type COLLATE Latin1_General_100_BIN2 = wanted.type COLLATE Latin1_General_100_BIN2);
--
-- Run this first; it must return no row. processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are:
-- SELECT name FROM sys.columns
-- WHERE object_id = OBJECT_ID('[processed_messages]') AND name NOT IN ('message_id', 'handler', 'created_at', 'done_at') AND (is_nullable = 0 OR name = 'id')
--     AND default_object_id = 0 AND is_identity = 0 AND is_computed = 0 AND system_type_id <> 189 -- rowversion;
--
-- Run this first; it must return no row. ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is:
-- SELECT name FROM sys.indexes
-- WHERE object_id = OBJECT_ID('[processed_messages]') AND name = 'ix_processed_messages_message_id_handler' AND (
--     is_unique_constraint <> 0 OR is_unique = 0 OR has_filter = 1 OR ignore_dup_key = 1
--     OR is_disabled = 1 OR 'message_id, handler' <> (
--         SELECT STRING_AGG(COL_NAME(part.object_id, part.column_id), ', ')
--             WITHIN GROUP (ORDER BY part.key_ordinal)
--         FROM sys.index_columns AS part
--         WHERE part.object_id = indexes.object_id AND part.index_id = indexes.index_id
--             AND part.key_ordinal > 0
--     ) COLLATE Latin1_General_100_BIN2
-- );
--
-- Run this first; it must return no row. processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types:
-- SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS
-- WHERE TABLE_SCHEMA = SCHEMA_NAME() AND TABLE_NAME = 'processed_messages' AND COLUMN_NAME IN ('created_at', 'done_at')
--     AND DATA_TYPE NOT IN ('datetime2', 'datetime', 'datetimeoffset');
--
-- Run this first; it must return no row. processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT [message_id], [handler], COUNT(*)
-- FROM [processed_messages]
-- GROUP BY [message_id], [handler]
-- HAVING COUNT(*) > 1;

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

IF NOT EXISTS (SELECT 1 FROM sys.indexes WHERE object_id = OBJECT_ID(N'[processed_messages]') AND name = N'ix_processed_messages_message_id_handler')
    CREATE UNIQUE INDEX [ix_processed_messages_message_id_handler] ON [processed_messages] ([message_id], [handler]);
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
