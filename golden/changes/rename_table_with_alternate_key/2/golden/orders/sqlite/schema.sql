-- The inbox orders on SQLite

CREATE TABLE "orders_markers" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME,
    CONSTRAINT "uq_orders_markers_message_id_consumer" UNIQUE ("message_id", "consumer")
);
