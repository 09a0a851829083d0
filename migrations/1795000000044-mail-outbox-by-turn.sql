-- without transaction
-- For who asks what is due, and not for who looks for one mail.
create index concurrently mail_outbox_by_turn on mail_outbox (tenant_id, due_at) where due_at is not null;
