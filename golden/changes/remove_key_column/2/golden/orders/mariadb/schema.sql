-- The inbox orders on MariaDB

CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `message_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `tenant` BINARY(16) NOT NULL DEFAULT (X'00000000000000000000000000000000'),
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_message_id_consumer` UNIQUE (`message_id`, `consumer`),
    CONSTRAINT `ix_inbox_message_id_tenant_consumer` UNIQUE (`message_id`, `tenant`, `consumer`)
)ENGINE=InnoDB;
