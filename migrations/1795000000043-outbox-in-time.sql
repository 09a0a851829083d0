-- without transaction
-- For who asks whether there is a number as well, as outbox_in_turns.
create index concurrently outbox_in_time on outbox (due_at) where sequential > 0;
