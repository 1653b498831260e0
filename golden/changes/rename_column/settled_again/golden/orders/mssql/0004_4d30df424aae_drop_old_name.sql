-- When no old replica is left: it drops the table's old name.
--
-- An old replica that still runs finds no table, and acknowledges nothing.
--
-- Locks: One transaction, which keeps the table to itself until its end; each statement waits at most 5 seconds for its lock, and then everything is taken back; run the revision again.

BEGIN TRANSACTION;
GO

SET XACT_ABORT ON;
SET LOCK_TIMEOUT 5000;
GO

DROP SYNONYM [inbox_next];
GO

SET LOCK_TIMEOUT -1;
GO

COMMIT;
GO
