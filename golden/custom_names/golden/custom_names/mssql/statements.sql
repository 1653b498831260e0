-- What the runtime of custom_names sends to SQL Server

-- claim: take a message; the row count, or the error, tells whether it was taken before
INSERT INTO [group] ([from], [Event "Id"], [user], [received at], [o'clock]) VALUES (:from_, :event_id, :consumer, SYSUTCDATETIME(), SYSUTCDATETIME());

-- find: read a marker back after a refused claim, in a transaction of its own
SELECT [group].[order]
FROM [group] WITH (READCOMMITTEDLOCK)
WHERE [group].[from] = :from_ AND [group].[Event "Id"] = :event_id AND [group].[user] = :consumer;
