-- The inbox custom_names on MySQL

CREATE TABLE `group` (
    `order` BIGINT NOT NULL AUTO_INCREMENT,
    `from` VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `Event "Id"` BINARY(16) NOT NULL,
    `user` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received at` DATETIME(6) NOT NULL,
    `o'clock` DATETIME(6),
    CONSTRAINT `the group's key` PRIMARY KEY (`order`),
    CONSTRAINT `once only` UNIQUE (`from`, `Event "Id"`, `user`)
)ENGINE=InnoDB;
