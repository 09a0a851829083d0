drop index outbox_in_turns;
