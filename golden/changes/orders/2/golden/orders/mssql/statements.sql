-- What the runtime of orders sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [inbox] ([message_id], [source], [consumer], [received_at], [processed_at]) VALUES (:message_id, :source, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [inbox].[id]
FROM [inbox] WITH (READCOMMITTEDLOCK)
WHERE [inbox].[message_id] = :message_id AND [inbox].[source] = :source AND [inbox].[consumer] = :consumer;
