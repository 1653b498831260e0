-- The inbox ef_core_alternate_key on SQL Server

CREATE TABLE [Inbox] (
    [Id] BIGINT NOT NULL IDENTITY,
    [MessageId] UNIQUEIDENTIFIER NOT NULL,
    [Consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [ReceivedUtc] DATETIME2 NOT NULL,
    [ProcessedUtc] DATETIME2 NULL,
    CONSTRAINT [PK_Inbox] PRIMARY KEY ([Id]),
    CONSTRAINT [AK_Inbox_MessageId_Consumer] UNIQUE ([MessageId], [Consumer])
);
GO
