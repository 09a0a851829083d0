-- without transaction
-- outbox_to_send serves whoever asked for it.
drop index concurrently if exists outbox_in_line;
