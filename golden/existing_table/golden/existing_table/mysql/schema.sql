-- The inbox existing_table on MySQL

CREATE TABLE `processed_messages` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `message_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `handler` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `created_at` DATETIME(6) NOT NULL,
    `done_at` DATETIME(6),
    CONSTRAINT `pk_processed_messages` PRIMARY KEY (`id`),
    CONSTRAINT `ix_processed_messages_message_id_handler` UNIQUE (`message_id`, `handler`)
)ENGINE=InnoDB;
