drop function close_deserted_tenant(uuid);
drop function hold_session(uuid, uuid, timestamptz);
