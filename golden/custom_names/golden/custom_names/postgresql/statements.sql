-- What the runtime of custom_names sends to PostgreSQL

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO "group" ("from", "Event ""Id""", "user", "received at", "o'clock") VALUES (:from_, :event_id, :consumer, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT "group"."order"
FROM "group"
WHERE "group"."from" = :from_ AND "group"."Event ""Id""" = :event_id AND "group"."user" = :consumer;

-- set savepoint, with pg8000: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint, with pg8000: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
