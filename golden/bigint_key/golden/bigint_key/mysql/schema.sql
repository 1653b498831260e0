-- The inbox bigint_key on MySQL

CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `producer` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `number` BIGINT NOT NULL,
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_producer_number_consumer` UNIQUE (`producer`, `number`, `consumer`)
)ENGINE=InnoDB;
