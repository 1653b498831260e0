-- The inbox orders on PostgreSQL

CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "message_id" UUID NOT NULL,
    "source" VARCHAR(40) COLLATE "C" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_inbox_message_id_source_consumer" ON "inbox" ("message_id", "source", "consumer");
