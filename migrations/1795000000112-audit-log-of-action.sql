-- without transaction
-- Lines of an action in the order of the list: one that is rare for a tenant is found without reading the tenant's others.
create index concurrently audit_log_of_action on audit_log (tenant_id, action, at desc, id desc);
