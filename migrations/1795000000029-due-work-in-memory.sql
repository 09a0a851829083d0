-- The table of due work is small and read all the time: its pages are in memory, and reading one is as cheap as the next.
-- Told otherwise, the planner takes the index on due times alone, whose rows lie together, and passes over those of all
-- other tenants and steps: ten times the work under a backlog.
alter function ready_in_turns(timestamptz, interval, integer) set random_page_cost = 1;
