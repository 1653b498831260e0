-- The inbox orders on SQLite

CREATE TABLE "inbox_next" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox_next" ("event_id", "consumer");
