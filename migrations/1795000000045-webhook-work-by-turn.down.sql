drop index webhook_work_by_turn;
