-- without transaction
-- outbox_in_turns serves whoever asked for it.
drop index concurrently if exists outbox_due_by_turn;
