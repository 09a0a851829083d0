drop index outbox_due_by_turn;
