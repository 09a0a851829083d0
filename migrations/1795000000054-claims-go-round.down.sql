drop function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid);
drop function tenants_with_mail(timestamptz, uuid, uuid, integer);
drop function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]);
drop function tenants_with_deliveries(timestamptz, boolean, integer, integer, uuid, uuid, integer);
drop function webhooks_under_way(timestamptz, boolean);
