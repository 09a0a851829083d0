drop index outbox_parked;
