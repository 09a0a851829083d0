-- A number is taken by keys alone: no value deserves a plan of its own, and check digits are computed by one plan.
alter function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) set plan_cache_mode = force_generic_plan;
