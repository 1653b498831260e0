-- When no replica is left that knows the columns' old names: migrate first, then deploy the code, the second release. `inboxgen new ... --settled` drops the name inbox_next once no replica of the first release is left.
--
-- The table is called inbox again, and inbox_next is a view of it (on SQL Server a synonym): replicas of the first release go on with it. On MySQL and MariaDB they fail for a moment, and redelivery brings those messages back. On SQLite stop them first.
--
-- A replica from before the first release that still runs does not find its columns, and acknowledges nothing.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

ALTER TABLE "inbox_next" RENAME TO "inbox";

CREATE VIEW "inbox_next" AS SELECT "id", "event_id", "consumer", "received_at", "processed_at" FROM "inbox";

DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"inbox"')
            AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || '"inbox_next"' || ' TO ' || held.role;
    END LOOP;
END
$inbox$;

COMMIT;
