drop index webhook_deliveries_failed;
