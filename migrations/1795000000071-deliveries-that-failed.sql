-- without transaction
-- What failed is found without reading all that was delivered.
create index concurrently webhook_deliveries_failed on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc) where status = 'failed';
