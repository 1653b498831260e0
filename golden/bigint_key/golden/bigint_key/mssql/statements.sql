-- What the runtime of bigint_key sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [inbox] ([producer], [number], [consumer], [received_at], [processed_at]) VALUES (:producer, :number, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [inbox].[id]
FROM [inbox] WITH (READCOMMITTEDLOCK)
WHERE [inbox].[producer] = :producer AND [inbox].[number] = :number AND [inbox].[consumer] = :consumer;
