-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

BEGIN TRANSACTION;
GO

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

COMMIT;
GO
