-- What the runtime of kafka sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [inbox] ([epoch], [topic], [partition], [offset], [consumer], [received_at], [processed_at]) VALUES (:epoch, :topic, :partition, :offset, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [inbox].[id]
FROM [inbox] WITH (READCOMMITTEDLOCK)
WHERE [inbox].[epoch] = :epoch AND [inbox].[topic] = :topic AND [inbox].[partition] = :partition AND [inbox].[offset] = :offset AND [inbox].[consumer] = :consumer;
