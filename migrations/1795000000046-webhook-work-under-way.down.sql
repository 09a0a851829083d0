drop index webhook_work_under_way;
