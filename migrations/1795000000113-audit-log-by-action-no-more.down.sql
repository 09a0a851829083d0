create index audit_log_by_action on audit_log (tenant_id, action, at desc);
