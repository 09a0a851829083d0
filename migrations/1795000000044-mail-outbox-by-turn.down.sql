drop index mail_outbox_by_turn;
