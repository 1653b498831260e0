-- What the runtime of orders sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [inbox_next] ([event_id], [consumer], [received_at], [processed_at]) VALUES (:event_id, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [inbox_next].[id]
FROM [inbox_next] WITH (READCOMMITTEDLOCK)
WHERE [inbox_next].[event_id] = :event_id AND [inbox_next].[consumer] = :consumer;
