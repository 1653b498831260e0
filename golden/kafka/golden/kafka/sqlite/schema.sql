-- The inbox kafka on SQLite

CREATE TABLE "inbox" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "epoch" VARCHAR(40) COLLATE "BINARY" NOT NULL,
    "topic" VARCHAR(249) COLLATE "BINARY" NOT NULL,
    "partition" BIGINT NOT NULL,
    "offset" BIGINT NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

CREATE UNIQUE INDEX "ix_inbox_epoch_topic_partition_offset_consumer" ON "inbox" ("epoch", "topic", "partition", "offset", "consumer");
