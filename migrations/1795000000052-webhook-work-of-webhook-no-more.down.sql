create index webhook_work_of_webhook on webhook_work (tenant_id, webhook_id, due_at);
