-- The inbox bigint_key on PostgreSQL

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
