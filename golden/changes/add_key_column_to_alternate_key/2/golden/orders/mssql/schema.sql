-- The inbox orders on SQL Server

CREATE TABLE [inbox] (
    [id] BIGINT NOT NULL IDENTITY,
    [tenant] BIGINT NOT NULL CONSTRAINT [df_inbox_tenant] DEFAULT -1,
    [message_id] UNIQUEIDENTIFIER NOT NULL,
    [consumer] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [processed_at] DATETIME2 NULL,
    CONSTRAINT [pk_inbox] PRIMARY KEY ([id]),
    CONSTRAINT [uq_inbox_tenant_message_id_consumer] UNIQUE ([tenant], [message_id], [consumer]),
    CONSTRAINT [uq_inbox_message_id_consumer] UNIQUE ([message_id], [consumer])
);
GO
