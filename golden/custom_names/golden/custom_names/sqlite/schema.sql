-- The inbox custom_names on SQLite

CREATE TABLE "group" (
    "order" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "from" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "Event ""Id""" CHAR(32) NOT NULL,
    "user" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received at" DATETIME NOT NULL,
    "o'clock" DATETIME
);

CREATE UNIQUE INDEX "once only" ON "group" ("from", "Event ""Id""", "user");
