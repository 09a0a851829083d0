drop function record_act(uuid, jsonb);
drop function require_credential(uuid, uuid, timestamptz);
