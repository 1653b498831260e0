-- Migrate first: the table that exists becomes the inbox. It keeps its rows and gets the dedup key; nothing else of it is altered. It stops where the table is not what the spec says, and where two rows are one message.
--
-- Whoever writes to it already goes on, and is refused by the database when a key is written twice.
--
-- Its downgrade leaves table and key as they are.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.
--
-- Run this first; it must return no row. processed_messages is not a plain table of just that name, whose rows are kept and are rolled back with a transaction. It is:
-- SELECT relkind, relpersistence FROM pg_class
-- WHERE oid = to_regclass('"processed_messages"') AND (relkind <> 'r' OR relpersistence <> 'p'
--     OR EXISTS (SELECT FROM pg_inherits WHERE pg_class.oid IN (inhrelid, inhparent)));
--
-- Run this first; it must return no row. processed_messages does not have the columns that the spec says. Alter the table or the spec. They are, with the type that they should have and the one that they have:
-- SELECT wanted.name, wanted.type, COALESCE(found.type, 'missing')
-- FROM (
--     SELECT 'message_id' AS name, 'character varying(100) not null' AS type
--     UNION ALL SELECT 'handler' AS name, 'character varying(200) not null' AS type
--     UNION ALL SELECT 'id' AS name, 'any' AS type
--     UNION ALL SELECT 'created_at' AS name, 'any' AS type
--     UNION ALL SELECT 'done_at' AS name, 'any' AS type
-- ) AS wanted
-- LEFT JOIN (
--     SELECT attname AS name, format_type(atttypid, atttypmod)
--         || CASE WHEN collisdeterministic IS FALSE THEN ' nondeterministic' ELSE '' END
--         || CASE WHEN attnotnull THEN ' not null' ELSE '' END AS type
--     FROM pg_attribute LEFT JOIN pg_collation ON pg_collation.oid = attcollation
--     WHERE attrelid = to_regclass('"processed_messages"') AND attnum > 0 AND NOT attisdropped
-- ) AS found ON found.name = wanted.name
-- WHERE found.name IS NULL OR (wanted.type <> 'any' AND NOT found.type = wanted.type);
--
-- Run this first; it must return no row. processed_messages has columns that must have a value, and a claim gives them none. Give each a default, and id numbers of its own. They are:
-- SELECT attname FROM pg_attribute
-- WHERE attrelid = to_regclass('"processed_messages"') AND attnum > 0 AND NOT attisdropped AND attname NOT IN ('message_id', 'handler', 'created_at', 'done_at')
--     AND (attnotnull OR attname = 'id') AND NOT atthasdef AND attidentity = '';
--
-- Run this first; it must return no row. ix_processed_messages_message_id_handler is there and is not the dedup key of processed_messages with `uniqueness: unique-index`. Give the key another name in `names: {dedup_key: ...}`, or another uniqueness. It is:
-- SELECT pg_get_indexdef(indexrelid) FROM pg_index
-- WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"') AND indisvalid AND (
--     EXISTS (SELECT FROM pg_collation WHERE oid = ANY (indcollation) AND NOT collisdeterministic)
--     OR NOT (indrelid = to_regclass('"processed_messages"') AND indisunique AND indimmediate
--         AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
--             SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
--             JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
--         ) = ARRAY['message_id', 'handler']
--         AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u')))
-- );
--
-- Run this first; it must return no row. processed_messages has times of a type that does not hold UTC as the inbox writes it. Alter the columns. They are, with their types:
-- SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
-- WHERE attrelid = to_regclass('"processed_messages"') AND attname IN ('created_at', 'done_at') AND atttypid <> 'timestamptz'::regtype;
--
-- Run this first; it must return no row. processed_messages has more than one marker with the same message_id, handler. Look at what they stand for; if each is one message, delete all but the oldest marker. They are, with their number:
-- SELECT "message_id", "handler", COUNT(*)
-- FROM "processed_messages"
-- GROUP BY "message_id", "handler"
-- HAVING COUNT(*) > 1;

SET lock_timeout = 0;

DO $inbox$
BEGIN
    IF EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"')
        AND indrelid = to_regclass('"processed_messages"') AND NOT indisvalid) THEN
        DROP INDEX "ix_processed_messages_message_id_handler";
    END IF;
END
$inbox$;

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler");

RESET lock_timeout;

BEGIN;

SET LOCAL lock_timeout = '2s';

DO $inbox$
BEGIN
    IF NOT EXISTS (
        SELECT FROM pg_index WHERE indexrelid = to_regclass('"ix_processed_messages_message_id_handler"') AND indisvalid AND indisready
        AND indrelid = to_regclass('"processed_messages"') AND indisunique AND indimmediate
        AND indpred IS NULL AND indexprs IS NULL AND indnkeyatts = 2 AND ARRAY(
            SELECT attname::text FROM unnest(indkey) WITH ORDINALITY AS part (number, place)
            JOIN pg_attribute ON attrelid = indrelid AND attnum = number ORDER BY place
        ) = ARRAY['message_id', 'handler']
    ) THEN
        RAISE EXCEPTION USING MESSAGE = 'the unique key "ix_processed_messages_message_id_handler" is not there or not valid: run this again, or rename what has its name';
    END IF;
END
$inbox$;

COMMIT;
