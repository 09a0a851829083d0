create index outbox_in_time on outbox (due_at) where sequential > 0;
