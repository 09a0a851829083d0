-- without transaction
-- webhook_work_under_way serves whoever asked for it.
drop index concurrently if exists webhook_work_held;
