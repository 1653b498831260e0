-- Migrate first, then deploy the code; `inboxgen new ... --settled` drops the old name once no old replica is left.
--
-- Old replicas go on under the old name: a view on PostgreSQL, MySQL and MariaDB, a synonym on SQL Server. On MySQL and MariaDB they fail for the moment between rename and view, and redelivery brings those messages back. On SQLite stop old replicas first: they find no table, and acknowledge nothing.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

ALTER TABLE "inbox" RENAME TO "orders_markers";

DO $inbox$
DECLARE
    held text := (SELECT conname FROM pg_constraint WHERE conrelid = to_regclass('"orders_markers"') AND contype = 'p');
BEGIN
    IF held <> 'pk_orders_markers' THEN
        EXECUTE format('ALTER TABLE "orders_markers" RENAME CONSTRAINT %I TO %I', held, 'pk_orders_markers');
    END IF;
END
$inbox$;

ALTER TABLE "orders_markers" RENAME CONSTRAINT "uq_inbox_message_id_consumer" TO "uq_orders_markers_message_id_consumer";

CREATE VIEW "inbox" AS SELECT "id", "message_id", "consumer", "received_at", "processed_at" FROM "orders_markers";

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
