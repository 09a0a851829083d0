drop index audit_log_by_action;
drop function set_person_disabled(text, boolean, timestamptz);
drop function found_own_tenant(uuid, uuid, text, uuid, integer, timestamptz, text, text);
drop function begin_email_verification(uuid, bytea, timestamptz, timestamptz);
drop function address_of_token(bytea, timestamptz);
drop function end_session_of_token(bytea, timestamptz, text, text);
