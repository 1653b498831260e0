-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

BEGIN;

CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "producer" VARCHAR(100) COLLATE "C" NOT NULL,
    "number" BIGINT NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_inbox_producer_number_consumer" ON "inbox" ("producer", "number", "consumer");

COMMIT;
