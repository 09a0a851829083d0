-- without transaction
-- audit_log_of_action serves whoever asked for it.
drop index concurrently if exists audit_log_by_action;
