create index webhook_work_held on webhook_work (tenant_id, webhook_id) where lease_token is not null;
