-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

CREATE TABLE `inbox` (
    `id` BIGINT NOT NULL AUTO_INCREMENT,
    `epoch` VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `topic` VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    `partition` BIGINT NOT NULL,
    `offset` BIGINT NOT NULL,
    `consumer` VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL,
    `received_at` DATETIME(6) NOT NULL,
    `processed_at` DATETIME(6),
    CONSTRAINT `pk_inbox` PRIMARY KEY (`id`),
    CONSTRAINT `ix_inbox_epoch_topic_partition_offset_consumer` UNIQUE (`epoch`, `topic`, `partition`, `offset`, `consumer`)
)ENGINE=InnoDB;
