alter table outbox drop column ahead;
