-- contract: since 1795000000072 no API calls resume_pause or resume_deliveries
drop function resume_pause(uuid, uuid, uuid, timestamptz);
drop function resume_deliveries(uuid, uuid, timestamptz);
