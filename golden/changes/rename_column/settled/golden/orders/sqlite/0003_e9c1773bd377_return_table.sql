-- When no replica is left that knows the columns' old names: migrate first, then deploy the code, the second release. `inboxgen new ... --settled` drops the name inbox_next once no replica of the first release is left.
--
-- The table is called inbox again, and inbox_next is a view of it (on SQL Server a synonym): replicas of the first release go on with it. On MySQL and MariaDB they fail for a moment, and redelivery brings those messages back. On SQLite stop them first.
--
-- A replica from before the first release that still runs does not find its columns, and acknowledges nothing.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.
--
-- Run this first; it must return no row. inbox_next is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is:
-- SELECT type, name FROM sqlite_master
-- WHERE tbl_name = 'inbox_next' COLLATE NOCASE AND sql IS NOT NULL
--     AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_event_id_consumer')))
-- UNION ALL
-- SELECT 'column', name FROM pragma_table_info('inbox_next') WHERE name NOT IN ('id', 'event_id', 'consumer', 'received_at', 'processed_at')
-- UNION ALL
-- SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
-- WHERE child.type = 'table' AND parent."table" = 'inbox_next' COLLATE NOCASE
--     AND (SELECT foreign_keys FROM pragma_foreign_keys);

BEGIN IMMEDIATE;

CREATE TABLE "inbox_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

INSERT INTO "inbox_new" ("id", "event_id", "consumer", "received_at", "processed_at") SELECT "id", "event_id", "consumer", "received_at", "processed_at" FROM "inbox_next";

DELETE FROM sqlite_sequence WHERE name = 'inbox_new';

INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox_next';

DROP TABLE "inbox_next";

ALTER TABLE "inbox_new" RENAME TO "inbox";

CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox" ("event_id", "consumer");

COMMIT;
