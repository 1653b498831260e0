-- What the runtime of orders sends to MySQL

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO `inbox` (`event_id`, `consumer`, `received_at`, `processed_at`) VALUES (:event_id, :consumer, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6));

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT `inbox`.`id`
FROM `inbox`
WHERE `inbox`.`event_id` = :event_id AND `inbox`.`consumer` = :consumer LOCK IN SHARE MODE;

-- set savepoint: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
