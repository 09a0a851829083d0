drop index webhooks_standing;
