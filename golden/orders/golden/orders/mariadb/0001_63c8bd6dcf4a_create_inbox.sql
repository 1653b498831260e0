-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `message_id` BINARY(16) NOT NULL,
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_message_id_consumer` UNIQUE (`message_id`, `consumer`)
)ENGINE=InnoDB;
