-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.

BEGIN IMMEDIATE;

CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer");

COMMIT;
