-- without transaction
-- For who switches a webhook on again: the deliveries that wait for it, however many others are only to be tried again later.
-- Nearly always empty.
create index concurrently webhook_deliveries_aside on webhook_deliveries (tenant_id, webhook_id, id) where status = 'pending' and next_attempt_at is null;
