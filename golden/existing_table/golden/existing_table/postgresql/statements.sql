-- What the runtime of existing_table sends to PostgreSQL

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO "processed_messages" ("message_id", "handler", "created_at", "done_at") VALUES (:message_id, :consumer, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT "processed_messages"."id"
FROM "processed_messages"
WHERE "processed_messages"."message_id" = :message_id AND "processed_messages"."handler" = :consumer;

-- set savepoint, with pg8000: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint, with pg8000: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
