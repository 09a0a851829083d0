drop function authenticate_session(uuid, uuid, integer, uuid, timestamptz);
drop table audit_log;
drop function refuse_change();
drop table members;
drop table one_time_tokens;
drop table refresh_tokens;
drop table sessions;
drop table user_identities;
drop table users;
