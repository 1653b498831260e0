-- The inbox existing_table on SQLite

CREATE TABLE "processed_messages" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "handler" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "created_at" DATETIME NOT NULL,
    "done_at" DATETIME
);

CREATE UNIQUE INDEX "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler");
