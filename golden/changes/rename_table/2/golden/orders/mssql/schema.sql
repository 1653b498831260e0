-- The inbox orders on SQL Server

CREATE TABLE [orders_markers] (
    [id] BIGINT NOT NULL IDENTITY,
    [message_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_orders_markers] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_orders_markers_message_id_consumer] ON [orders_markers] ([message_id], [consumer]);
GO
