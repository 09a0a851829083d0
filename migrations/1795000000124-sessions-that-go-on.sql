-- What people do in their own name, too, is done by no session that ended while it waited.
create function hold_session(p_user uuid, p_session uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- The person before their sessions, as whatever opens one or ends them all.
  perform from users u where u.id = p_user and u.disabled_at is null for no key update;
  if not found then
    return false;
  end if;
  perform from sessions s where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now for no key update;
  return found;
end $$;
alter function hold_session(uuid, uuid, timestamptz) owner to sello_resolver;
revoke execute on function hold_session(uuid, uuid, timestamptz) from public;
grant execute on function hold_session(uuid, uuid, timestamptz) to sello_app;
comment on function hold_session(uuid, uuid, timestamptz) is
  'Sign-in: Returns true if a session goes on whose account is not disabled, and keeps both so until the commit. It '
  'locks the person before the session. The API calls it in the statement that calls link_identity, found_own_tenant or '
  'rename_person, before those.';

-- Whoever is left alone with a tenant that never issued anything would else keep it for good.
create function close_deserted_tenant(p_tenant uuid)
  returns void
  language sql security definer set search_path = sello, pg_temp as $$
  update tenants t set is_active = false
  where t.id = p_tenant and p_tenant = current_tenant() and not exists (select from members m where m.tenant_id = p_tenant)
$$;
alter function close_deserted_tenant(uuid) owner to sello_resolver;
revoke execute on function close_deserted_tenant(uuid) from public;
grant execute on function close_deserted_tenant(uuid) to sello_app;
comment on function close_deserted_tenant(uuid) is
  'Members: Closes the current tenant if it has no member, as its last one leaves. It leaves all others as they are. The '
  'API calls it, and writes the line of the audit log before.';
