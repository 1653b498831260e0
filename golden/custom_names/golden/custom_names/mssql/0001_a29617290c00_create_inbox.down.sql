-- The way back

DROP TABLE [group];
GO
