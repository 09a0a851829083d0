drop index webhooks_active;
