-- Two releases. Migrate first, then deploy the code; `inboxgen new ... --settled` writes the second one, once no old replica is left.
--
-- Under one name of the table, old and new replicas would write to different columns. So the table is called inbox_next until the second release, and inbox is a view that shows the columns under their old names: old replicas go on with it. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" RENAME TO "inbox_next";

ALTER TABLE "inbox_next" RENAME COLUMN "message_id" TO "event_id";

ALTER INDEX "ix_inbox_message_id_consumer" RENAME TO "ix_inbox_event_id_consumer";

CREATE VIEW "inbox" AS SELECT "id", "event_id" AS "message_id", "consumer", "received_at", "processed_at" FROM "inbox_next";

DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"inbox_next"')
            AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || '"inbox"' || ' TO ' || held.role;
    END LOOP;
END
$inbox$;

COMMIT;
