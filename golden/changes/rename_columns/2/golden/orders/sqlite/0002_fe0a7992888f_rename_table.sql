-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.
--
-- Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- The old name is a view there, on SQL Server too, and shows the columns under their old names.
--
-- Run it with `sqlite3 -bail`: without that, the client goes on after a failure.
--
-- Locks: One transaction, for which writers wait; their claims are IN_PROGRESS if that is longer than their time-out.

BEGIN IMMEDIATE;

CREATE TABLE "orders_markers_new" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "event_id" VARCHAR(100) COLLATE "BINARY" NOT NULL,
    "tenant" BIGINT NOT NULL,
    "handler" VARCHAR(200) COLLATE "BINARY" NOT NULL,
    "received_at" DATETIME NOT NULL,
    "done_at" DATETIME
);

INSERT INTO "orders_markers_new" ("id", "event_id", "tenant", "handler", "received_at", "done_at") SELECT "id", "message_id", "tenant", "consumer", "received_at", "processed_at" FROM "inbox";

DELETE FROM sqlite_sequence WHERE name = 'orders_markers_new';

INSERT INTO sqlite_sequence (name, seq) SELECT 'orders_markers_new', seq FROM sqlite_sequence WHERE name = 'inbox';

DROP TABLE "inbox";

ALTER TABLE "orders_markers_new" RENAME TO "orders_markers";

CREATE UNIQUE INDEX "ix_orders_markers_event_id_tenant_handler" ON "orders_markers" ("event_id", "tenant", "handler");

COMMIT;
