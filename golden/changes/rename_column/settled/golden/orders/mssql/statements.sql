-- What the runtime of orders sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [inbox] ([event_id], [consumer], [received_at], [processed_at]) VALUES (:event_id, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [inbox].[id]
FROM [inbox] WITH (READCOMMITTEDLOCK)
WHERE [inbox].[event_id] = :event_id AND [inbox].[consumer] = :consumer;
