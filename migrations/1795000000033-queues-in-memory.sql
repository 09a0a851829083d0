-- The rows of one tenant or address are found through their own index, also when another's backlog is older, and a few rows
-- one by one, however long the queue is.
alter function ready_in_turns(timestamptz, interval, integer) rows 20;
alter function announce_due(timestamptz, interval, integer) set random_page_cost = 1;
alter function claim_mails(uuid, timestamptz, interval, integer) set random_page_cost = 1;
alter function claim_deliveries(uuid, timestamptz, interval, integer, integer, integer) set random_page_cost = 1;
