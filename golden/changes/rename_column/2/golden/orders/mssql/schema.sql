-- The inbox orders on SQL Server

CREATE TABLE [inbox_next] (
    [id] BIGINT NOT NULL IDENTITY,
    [event_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_inbox_event_id_consumer] ON [inbox_next] ([event_id], [consumer]);
GO
