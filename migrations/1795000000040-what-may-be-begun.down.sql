drop function announce_within_places(timestamptz, interval, integer, jsonb);
drop function ready_within_places(timestamptz, interval, integer, jsonb);
