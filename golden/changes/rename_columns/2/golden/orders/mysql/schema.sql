-- The inbox orders on MySQL

CREATE TABLE `orders_markers` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `event_id` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `tenant` BIGINT NOT NULL,
    `handler` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `done_at` DATETIME(6),
    CONSTRAINT `pk_orders_markers` PRIMARY KEY (`id`),
    CONSTRAINT `ix_orders_markers_event_id_tenant_handler` UNIQUE (`event_id`, `tenant`, `handler`)
)ENGINE=InnoDB;
