-- without transaction
-- outbox_in_time serves whoever asked for it.
drop index concurrently if exists outbox_due;
