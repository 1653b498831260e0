-- Two releases. Migrate first, then deploy the code; `inboxgen new ... --settled` writes the second one, once no old replica is left.
--
-- Under one name of the table, old and new replicas would write to different columns. So the table is called inbox_next until the second release, and inbox is a view that shows the columns under their old names: old replicas go on with it. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.
--
-- Run this first; it must return no row. inbox is made anew, and what the spec does not know would be lost with the old one. Drop it before, and make it again after. There is:
-- SELECT type, name FROM sqlite_master
-- WHERE tbl_name = 'inbox' COLLATE NOCASE AND sql IS NOT NULL
--     AND (type = 'trigger' OR (type = 'index' AND name NOT IN ('ix_inbox_message_id_consumer')))
-- UNION ALL
-- SELECT 'column', name FROM pragma_table_info('inbox') WHERE name NOT IN ('id', 'message_id', 'consumer', 'received_at', 'processed_at')
-- UNION ALL
-- SELECT 'foreign key of', child.name FROM sqlite_master AS child, pragma_foreign_key_list(child.name) AS parent
-- WHERE child.type = 'table' AND parent."table" = 'inbox' COLLATE NOCASE
--     AND (SELECT foreign_keys FROM pragma_foreign_keys);

BEGIN IMMEDIATE;

CREATE TABLE "inbox_next_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "consumer" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "processed_at" DATETIME
);

INSERT INTO "inbox_next_new" ("id", "event_id", "consumer", "received_at", "processed_at") SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "inbox";

DELETE FROM sqlite_sequence WHERE name = 'inbox_next_new';

INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_next_new', seq FROM sqlite_sequence WHERE name = 'inbox';

DROP TABLE "inbox";

ALTER TABLE "inbox_next_new" RENAME TO "inbox_next";

CREATE UNIQUE INDEX "ix_inbox_event_id_consumer" ON "inbox_next" ("event_id", "consumer");

COMMIT;
