-- What the runtime of ef_core sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [Inbox] ([MessageId], [Consumer], [ReceivedUtc], [ProcessedUtc]) VALUES (:message_id, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [Inbox].[Id]
FROM [Inbox] WITH (READCOMMITTEDLOCK)
WHERE [Inbox].[MessageId] = :message_id AND [Inbox].[Consumer] = :consumer;
