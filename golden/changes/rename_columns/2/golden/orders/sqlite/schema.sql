-- The inbox orders on SQLite

CREATE TABLE "orders_markers" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "tenant" BIGINT NOT NULL,
    "handler" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "done_at" DATETIME
);

CREATE UNIQUE INDEX "ix_orders_markers_event_id_tenant_handler" ON "orders_markers" ("event_id", "tenant", "handler");
