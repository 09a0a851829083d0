-- without transaction
-- Every event asks for the active webhooks of its tenant: those that were removed stay on record, and are not read for it.
create index concurrently webhooks_active on webhooks (tenant_id) where is_active;
