-- The inbox orders on SQLite

CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "tenant" BIGINT NOT NULL,
    "message_id" CHAR(32) NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME,
    CONSTRAINT "uq_inbox_tenant_message_id_consumer" UNIQUE ("tenant", "message_id", "consumer")
);
