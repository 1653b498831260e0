-- The way back

DROP TABLE `inbox`;
