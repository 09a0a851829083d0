-- without transaction
-- outbox_in_turns serves whoever asked for it. Workers of the version before look for due work without it: slower, for as long as they run.
drop index concurrently if exists outbox_due_by_turn;
