create or replace function record_act(p_tenant uuid, p_line jsonb) returns boolean
  language plpgsql as $$
begin
  perform record_audit(p_tenant, p_line);
  return require_credential(p_tenant, (p_line ->> 'credential')::uuid, (p_line ->> 'at')::timestamptz);
end $$;
comment on function record_act(uuid, jsonb) is
  'Audit log: Writes the line of an act into the audit log as record_audit does, then raises SE002 if the line''s `credential` may no longer act in the tenant. It returns true. The API calls it in the transaction of each act that it records.';
drop function require_credential(uuid, uuid, timestamptz, text);
drop function session_has_role(uuid, uuid, text);
