-- The inbox orders on PostgreSQL

CREATE TABLE "orders_markers" (
    "id" BIGSERIAL NOT NULL,
    "message_id" VARCHAR(100) COLLATE "C" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "processed_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_orders_markers" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_orders_markers_message_id_consumer" ON "orders_markers" ("message_id", "consumer");
