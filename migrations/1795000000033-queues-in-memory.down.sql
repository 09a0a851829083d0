alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) reset random_page_cost;
alter function claim_mails(uuid, timestamptz, interval, integer) reset random_page_cost;
alter function announce_due(timestamptz, interval, integer) reset random_page_cost;
alter function ready_in_turns(timestamptz, interval, integer) rows 1000;
