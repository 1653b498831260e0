-- What the runtime of orders sends to SQLite

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO "inbox_next" ("event_id", "consumer", "received_at", "processed_at") VALUES (:event_id, :consumer, strftime('%Y-%m-%d %H:%M:%f', 'now') || '000', strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') ON CONFLICT DO NOTHING;

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT "inbox_next"."id"
FROM "inbox_next"
WHERE "inbox_next"."event_id" = :event_id AND "inbox_next"."consumer" = :consumer;

-- set savepoint: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
