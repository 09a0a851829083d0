alter function issue_document(uuid, uuid, uuid, timestamptz, jsonb, jsonb, jsonb, jsonb, text, text) reset plan_cache_mode;
