-- without transaction
-- webhook_work_by_turn serves whoever asked for it. Workers of the version before look for due work without it: slower, for as long as they run.
drop index concurrently if exists webhook_work_of_webhook;
