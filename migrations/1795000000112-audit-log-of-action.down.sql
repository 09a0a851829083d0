drop index audit_log_of_action;
