-- Migrate first, then deploy the code; `inboxgen new ... --settled` writes the end of it, once no old replica is left and no marker of theirs is younger than the retention.
--
-- Old replicas go on: the database fills the column in for them. Until the end the old key governs beside the new one: a message that differs from a marker in the new column alone is raised (RefusedWithoutMarker), never acknowledged and never applied twice. Such messages end in the dead letters; replay them after the end.
--
-- Its downgrade forgets the column's values: stop the new replicas first.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.

BEGIN IMMEDIATE;

CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "message_id" CHAR(32) NOT NULL,
    "source" VARCHAR(40) COLLATE "BINARY" DEFAULT 'shop' NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

INSERT INTO "inbox_new" ("id", "message_id", "consumer", "received_at", "processed_at") SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "inbox";

DELETE FROM sqlite_sequence WHERE name = 'inbox_new';

INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox';

DROP TABLE "inbox";

ALTER TABLE "inbox_new" RENAME TO "inbox";

CREATE UNIQUE INDEX "ix_inbox_message_id_consumer" ON "inbox" ("message_id", "consumer");

CREATE UNIQUE INDEX "ix_inbox_message_id_source_consumer" ON "inbox" ("message_id", "source", "consumer");

COMMIT;
