drop index webhook_deliveries_aside;
