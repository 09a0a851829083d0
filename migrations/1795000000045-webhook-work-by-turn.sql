-- without transaction
-- For who asks what is due, and not for who looks for one delivery.
create index concurrently webhook_work_by_turn on webhook_work (tenant_id, webhook_id, due_at) where due_at is not null;
