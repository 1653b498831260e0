-- The inbox orders on PostgreSQL

CREATE TABLE "inbox" (
    "id" BIGSERIAL NOT NULL,
    "tenant" BIGINT NOT NULL,
    "message_id" UUID NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_inbox" PRIMARY KEY ("id"),
    CONSTRAINT "uq_inbox_tenant_message_id_consumer" UNIQUE ("tenant", "message_id", "consumer")
);
