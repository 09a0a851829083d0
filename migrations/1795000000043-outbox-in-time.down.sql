drop index outbox_in_time;
