-- without transaction
-- Every row has a number; only who asks for that as well is given this index. Without the condition, plans
-- made while the queue was nearly empty used it to find a single document, and read all that its tenant had waiting.
create index concurrently outbox_in_turns on outbox (tenant_id, step, ahead, due_at) where sequential > 0;
