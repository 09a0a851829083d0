-- contract: since 1795000000047 no worker calls announce_within_places, and nothing else ready_within_places
drop function announce_within_places(timestamptz, interval, integer, jsonb);
drop function ready_within_places(timestamptz, interval, integer, jsonb);
-- contract: since 1795000000054 no worker calls claim_mails and claim_deliveries
drop function claim_mails(uuid, timestamptz, interval, integer);
drop function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer);
