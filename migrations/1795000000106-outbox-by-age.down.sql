drop index outbox_by_age;
