-- What the runtime of custom_names sends to SQLite

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO "group" ("from", "Event ""Id""", "user", "received at", "o'clock") VALUES (:from_, :event_id, :consumer, strftime('%Y-%m-%d %H:%M:%f', 'now') || '000', strftime('%Y-%m-%d %H:%M:%f', 'now') || '000') ON CONFLICT DO NOTHING;

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT "group"."order"
FROM "group"
WHERE "group"."from" = :from_ AND "group"."Event ""Id""" = :event_id AND "group"."user" = :consumer;

-- set savepoint: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
