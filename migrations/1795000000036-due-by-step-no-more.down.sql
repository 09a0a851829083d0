create index outbox_due_by_step on outbox (tenant_id, step, due_at);
