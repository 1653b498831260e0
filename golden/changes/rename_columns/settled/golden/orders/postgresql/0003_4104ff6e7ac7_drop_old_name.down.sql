-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

CREATE VIEW "inbox" AS SELECT "id", "event_id" AS "message_id", "tenant", "handler" AS "consumer", "received_at", "done_at" AS "processed_at" FROM "orders_markers";

DO $inbox$
DECLARE held record;
BEGIN
    FOR held IN
        SELECT privilege_type,
            CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role
        FROM pg_class, aclexplode(relacl) WHERE oid = to_regclass('"orders_markers"')
            AND privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
    LOOP
        EXECUTE 'GRANT ' || held.privilege_type || ' ON ' || '"inbox"' || ' TO ' || held.role;
    END LOOP;
END
$inbox$;

COMMIT;
