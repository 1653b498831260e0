-- The inbox kafka on SQL Server

CREATE TABLE [inbox] (
    [id] BIGINT NOT NULL IDENTITY,
    [epoch] VARCHAR(40) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [topic] VARCHAR(249) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [partition] BIGINT NOT NULL,
    [offset] BIGINT NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_inbox_epoch_topic_partition_offset_consumer] ON [inbox] ([epoch], [topic], [partition], [offset], [consumer]);
GO
