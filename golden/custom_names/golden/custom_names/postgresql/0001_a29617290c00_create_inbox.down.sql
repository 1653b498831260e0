-- The way back

DROP TABLE "group";
