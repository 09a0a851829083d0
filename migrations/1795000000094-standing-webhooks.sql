-- without transaction
-- For the list of a tenant's webhooks and their count, however many were removed.
create index concurrently webhooks_standing on webhooks (tenant_id, created_at desc, id desc) where deleted_at is null;
