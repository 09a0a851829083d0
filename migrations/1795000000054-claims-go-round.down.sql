drop function claim_mails_going_round(uuid, timestamptz, interval, integer, uuid);
drop function claim_deliveries_going_round(uuid, timestamptz, interval, integer, integer, integer, uuid[]);
