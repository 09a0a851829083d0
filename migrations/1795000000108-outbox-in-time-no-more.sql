-- without transaction
-- outbox_by_age serves whoever asked for it.
drop index concurrently if exists outbox_in_time;
