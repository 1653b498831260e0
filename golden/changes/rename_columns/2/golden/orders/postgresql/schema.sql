-- The inbox orders on PostgreSQL

CREATE TABLE "orders_markers" (
    "id" BIGSERIAL NOT NULL,
    "event_id" VARCHAR(100) COLLATE "C" NOT NULL,
    "tenant" BIGINT NOT NULL,
    "handler" VARCHAR(200) COLLATE "C" NOT NULL,
    "received_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "done_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_orders_markers" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_orders_markers_event_id_tenant_handler" ON "orders_markers" ("event_id", "tenant", "handler");
