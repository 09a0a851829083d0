drop index outbox_in_line;
