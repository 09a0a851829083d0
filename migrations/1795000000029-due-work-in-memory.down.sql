alter function ready_in_turns(timestamptz, interval, integer) reset random_page_cost;
