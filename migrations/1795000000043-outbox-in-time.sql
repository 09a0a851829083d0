-- without transaction
-- For who asks for a number as well (`sequential > 0`), as outbox_in_turns.
create index concurrently outbox_in_time on outbox (due_at) where sequential is not null;
