-- What the runtime of custom_names sends to MySQL

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO `group` (`from`, `Event "Id"`, `user`, `received at`, `o'clock`) VALUES (:from_, :event_id, :consumer, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6));

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT `group`.`order`
FROM `group`
WHERE `group`.`from` = :from_ AND `group`.`Event "Id"` = :event_id AND `group`.`user` = :consumer LOCK IN SHARE MODE;

-- set savepoint: after the claim; a statement that ends the transaction takes it along
SAVEPOINT inbox_marker;

-- release savepoint: before the commit; fails if the transaction was ended meanwhile
RELEASE SAVEPOINT inbox_marker;
