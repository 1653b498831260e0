-- The inbox existing_table on SQL Server

CREATE TABLE [processed_messages] (
    [id] BIGINT NOT NULL IDENTITY,
    [message_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [handler] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [created_at] DATETIME2 NOT NULL,
    [done_at] DATETIME2 NULL,
    CONSTRAINT [pk_processed_messages] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_processed_messages_message_id_handler] ON [processed_messages] ([message_id], [handler]);
GO
