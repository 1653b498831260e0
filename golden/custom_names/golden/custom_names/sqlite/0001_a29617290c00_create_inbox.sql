-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.

BEGIN IMMEDIATE;

CREATE TABLE "group" (
    "order" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "from" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "Event ""Id""" CHAR(32) NOT NULL,
    "user" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received at" DATETIME NOT NULL,
    "o'clock" DATETIME
);

CREATE UNIQUE INDEX "once only" ON "group" ("from", "Event ""Id""", "user");

COMMIT;
