drop function events_behind(uuid[], xid8[], bigint[], uuid[]);
drop function document_outcome(uuid, uuid, uuid, timestamptz);
