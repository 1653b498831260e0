-- When no old replica is left: it drops the table's old name.
--
-- An old replica that still runs finds no table, and acknowledges nothing.
--
-- Locks: Each statement that needs the table for itself waits at most 2 seconds for it, and then fails; run the revision again.

BEGIN;

SET LOCAL lock_timeout = '2s';

DROP VIEW IF EXISTS "inbox_next";

COMMIT;
