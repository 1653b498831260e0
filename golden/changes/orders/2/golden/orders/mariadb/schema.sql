-- The inbox orders on MariaDB

CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `message_id` BINARY(16) NOT NULL,
    `source` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL DEFAULT 'shop',
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_message_id_source_consumer` UNIQUE (`message_id`, `source`, `consumer`),
    CONSTRAINT `ix_inbox_message_id_consumer` UNIQUE (`message_id`, `consumer`)
)ENGINE=InnoDB;
