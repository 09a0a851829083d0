-- without transaction
-- Nothing looks for steps without asking whether they are in turn any more.
drop index concurrently if exists outbox_due_by_step;
