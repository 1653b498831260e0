-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

BEGIN;

CREATE TABLE "group" (
    "order" BIGSERIAL NOT NULL,
    "from" VARCHAR(100) COLLATE "C" NOT NULL,
    "Event ""Id""" UUID NOT NULL,
    "user" VARCHAR(200) COLLATE "C" NOT NULL,
    "received at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "o'clock" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "the group's key" PRIMARY KEY ("order")
);

CREATE UNIQUE INDEX "once only" ON "group" ("from", "Event ""Id""", "user");

COMMIT;
