-- The inbox orders on PostgreSQL

CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "event_id" VARCHAR(100) COLLATE "C" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox" ("event_id", "consumer");
