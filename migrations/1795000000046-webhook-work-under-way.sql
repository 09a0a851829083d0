-- without transaction
-- For who asks what is due, and not for who looks for one delivery.
create index concurrently webhook_work_under_way on webhook_work (tenant_id, webhook_id) where lease_token is not null and due_at is not null;
