drop index outbox_to_send;
