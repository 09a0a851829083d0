create index outbox_due on outbox (due_at);
