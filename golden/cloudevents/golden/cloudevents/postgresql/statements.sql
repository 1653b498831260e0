-- What the runtime of cloudevents sends to PostgreSQL

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO "inbox" ("source", "event_id", "consumer", "received_at", "processed_at") VALUES (:source, :event_id, :consumer, clock_timestamp(), clock_timestamp()) ON CONFLICT DO NOTHING;

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT "inbox"."id"
FROM "inbox"
WHERE "inbox"."source" = :source AND "inbox"."event_id" = :event_id AND "inbox"."consumer" = :consumer;
