-- The way back

DROP TABLE [Inbox];
GO
