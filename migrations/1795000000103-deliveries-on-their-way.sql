-- without transaction
-- What is on its way is found without reading all that was delivered.
create index concurrently webhook_deliveries_pending on webhook_deliveries (tenant_id, webhook_id, created_at desc, id desc) where status = 'pending';
