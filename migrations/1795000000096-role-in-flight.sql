-- Whether the person of a session is a member of the tenant in this role still.
create function session_has_role(p_tenant uuid, p_session uuid, p_role text) returns boolean
  language sql stable security definer set search_path = sello, pg_temp as $$
  select exists (
    select from sessions s join members m on m.user_id = s.user_id
    where s.id = p_session and m.tenant_id = p_tenant and m.role = p_role)
$$;
alter function session_has_role(uuid, uuid, text) owner to sello_resolver;
revoke execute on function session_has_role(uuid, uuid, text) from public;
grant execute on function session_has_role(uuid, uuid, text) to sello_app;
comment on function session_has_role(uuid, uuid, text) is
  'Credentials: Returns true while the person of this session is a member of the tenant in this role. require_credential calls it.';

-- The same for who acts in a role: another role acts at once, also on calls that are under way. No role: a key, or an administrator
-- of the platform.
create function require_credential(p_tenant uuid, p_credential uuid, p_now timestamptz, p_role text) returns boolean
  language plpgsql as $$
begin
  perform require_credential(p_tenant, p_credential, p_now);
  if p_role is not null and not session_has_role(p_tenant, p_credential, p_role) then
    raise exception 'role changed' using errcode = 'SE010';
  end if;
  return true;
end $$;
comment on function require_credential(uuid, uuid, timestamptz, text) is
  'Credentials: As the function of the same name without a role; then, unless the role is null, raises SE010 when the person of the session has another role in the tenant by now. The API calls it in the transaction of every act that changes something.';

create or replace function record_act(p_tenant uuid, p_line jsonb) returns boolean
  language plpgsql as $$
begin
  perform record_audit(p_tenant, p_line);
  return require_credential(p_tenant, (p_line ->> 'credential')::uuid, (p_line ->> 'at')::timestamptz, p_line ->> 'role');
end $$;
comment on function record_act(uuid, jsonb) is
  'Audit log: Writes the line of an act into the audit log as record_audit does, then raises SE002 if the line''s `credential` may no longer act in the tenant, and SE010 if it may but not in the line''s `role` any more. It returns true. The API calls it in the transaction of each act that it records.';
