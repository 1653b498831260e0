-- The inbox orders on SQLite

CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "source" VARCHAR(40) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

CREATE UNIQUE INDEX "ix_inbox_message_id_source_consumer" ON "inbox" ("message_id", "source", "consumer");
