-- The inbox bigint_key on SQL Server

CREATE TABLE [inbox] (
    [id] BIGINT NOT NULL IDENTITY,
    [producer] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [number] BIGINT NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_inbox_producer_number_consumer] ON [inbox] ([producer], [number], [consumer]);
GO
