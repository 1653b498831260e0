-- The inbox orders on SQL Server

CREATE TABLE [inbox] (
    [id] BIGINT NOT NULL IDENTITY,
    [message_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [tenant] UNIQUEIDENTIFIER NOT NULL CONSTRAINT [df_inbox_tenant] DEFAULT '00000000-0000-0000-0000-000000000000',
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_inbox_message_id_consumer] ON [inbox] ([message_id], [consumer]);
GO

CREATE UNIQUE INDEX [ix_inbox_message_id_tenant_consumer] ON [inbox] ([message_id], [tenant], [consumer]);
GO
