-- Migrate first: it creates the inbox, and nothing that runs today uses it.
--
-- Replicas without the inbox go on meanwhile; those with it refuse every message until the table is there.

BEGIN TRANSACTION;
GO

CREATE TABLE [group] (
    [order] BIGINT NOT NULL IDENTITY,
    [from] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [Event "Id"] UNIQUEIDENTIFIER NOT NULL,
    [user] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received at] DATETIME2 NOT NULL,
    [o'clock] DATETIME2 NULL,
    CONSTRAINT [the group's key] PRIMARY KEY ([order])
);
GO

CREATE UNIQUE INDEX [once only] ON [group] ([from], [Event "Id"], [user]);
GO

COMMIT;
GO
