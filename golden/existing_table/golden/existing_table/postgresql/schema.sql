-- The inbox existing_table on PostgreSQL

CREATE TABLE "processed_messages" (
    "id" BIGSERIAL NOT NULL,
    "message_id" VARCHAR(100) COLLATE "C" NOT NULL,
    "handler" VARCHAR(200) COLLATE "C" NOT NULL,
    "created_at" TIMESTAMP WITH TIME ZONE NOT NULL,
    "done_at" TIMESTAMP WITH TIME ZONE,
    CONSTRAINT "pk_processed_messages" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "ix_processed_messages_message_id_handler" ON "processed_messages" ("message_id", "handler");
