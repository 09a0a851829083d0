create index outbox_due_by_turn on outbox (tenant_id, step, ahead, due_at);
