-- without transaction
-- webhook_work_by_turn serves whoever asked for it.
drop index concurrently if exists webhook_work_of_webhook;
