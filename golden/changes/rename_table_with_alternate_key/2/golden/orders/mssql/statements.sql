-- What the runtime of orders sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [orders_markers] ([message_id], [consumer], [received_at], [processed_at]) VALUES (:message_id, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [orders_markers].[id]
FROM [orders_markers] WITH (READCOMMITTEDLOCK)
WHERE [orders_markers].[message_id] = :message_id AND [orders_markers].[consumer] = :consumer;
