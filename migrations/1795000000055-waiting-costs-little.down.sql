drop function events_behind(uuid[], xid8[], bigint[]);
revoke select (position) on events from sello_worker;
drop function document_outcome(uuid, uuid, uuid, timestamptz);
