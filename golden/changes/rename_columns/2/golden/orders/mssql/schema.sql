-- The inbox orders on SQL Server

CREATE TABLE [orders_markers] (
    [id] BIGINT NOT NULL IDENTITY,
    [event_id] NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [tenant] BIGINT NOT NULL,
    [handler] NVARCHAR(200) COLLATE Latin1_General_100_BIN2 NOT NULL,
    [received_at] DATETIME2 NOT NULL,
    [done_at] DATETIME2 NULL,
    CONSTRAINT [pk_orders_markers] PRIMARY KEY ([id])
);
GO

CREATE UNIQUE INDEX [ix_orders_markers_event_id_tenant_handler] ON [orders_markers] ([event_id], [tenant], [handler]);
GO
