-- without transaction
-- mail_outbox_by_turn serves whoever asked for it.
drop index concurrently if exists mail_outbox_in_turns;
