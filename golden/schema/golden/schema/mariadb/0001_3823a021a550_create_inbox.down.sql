-- The way back

DROP TABLE `messaging`.`inbox`;
