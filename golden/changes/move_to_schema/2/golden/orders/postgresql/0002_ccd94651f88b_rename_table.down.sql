-- The way back.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox";

DO $inbox$
BEGIN
    EXECUTE 'ALTER TABLE "messaging"."inbox" SET SCHEMA ' || quote_ident(current_schema());
END
$inbox$;

COMMIT;
