-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

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
