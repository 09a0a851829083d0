create index mail_outbox_in_turns on mail_outbox (tenant_id, due_at);
