-- without transaction
-- outbox_in_line serves whoever asked for it.
drop index concurrently if exists outbox_order;
