-- What people do with their own account while they are signed in: another name, another password, the end of every session.
-- And what an invitation offers, before it is accepted.

-- The version of the account from which on access tokens of this session count, for it has outlived what raised the version.
-- Null: only those of the account's present version.
alter table sessions add column valid_from_version integer;

-- As before; a session that was kept when the account's version was raised keeps its tokens too.
create or replace function authenticate_session(p_user uuid, p_session uuid, p_token_version integer, p_tenant uuid, p_now timestamptz)
  returns table (is_platform_admin boolean, email text, name text, tenant_id uuid, member_id uuid, role text)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.is_platform_admin, u.email, u.name, t.id, m.id, m.role
  from users u
  join sessions s on s.id = p_session and s.user_id = u.id and s.ended_at is null and s.expires_at > p_now
  left join (members m join tenants mt on mt.id = m.tenant_id and mt.is_active)
    on m.user_id = u.id and m.status = 'active' and (p_tenant is null or m.tenant_id = p_tenant)
  left join tenants t on t.id = coalesce(m.tenant_id, case when u.is_platform_admin then p_tenant end)
  where u.id = p_user and u.disabled_at is null and p_token_version between coalesce(s.valid_from_version, u.token_version) and u.token_version
  order by m.created_at
$$;

-- Names a person anew. The same name again is nothing to tell.
create function rename_person(p_user uuid, p_name text, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  before text;
begin
  select u.name into before from users u where u.id = p_user for no key update;
  if before = p_name then
    return;
  end if;
  update users u set name = p_name, updated_at = p_now where u.id = p_user;
  perform record_for_person(p_user, true, 'person.renamed', jsonb_build_object('name', jsonb_build_object('from', before, 'to', p_name)), p_now, p_request_id, p_address);
end $$;

-- Sets another password for who has just told the present one, and ends every session but theirs. False: the account was given
-- another password, locked or disabled meanwhile, or the session has ended. Links of a reset stay good: mail outranks a session,
-- which may be that of whoever opened the account under another's address.
create function change_password(
  p_user uuid, p_session uuid, p_token_version integer, p_password_hash text, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- The person before their sessions, as whatever opens one or ends them all.
  perform from users u
  where u.id = p_user and u.token_version = p_token_version and u.password_hash is not null and u.disabled_at is null
    and (u.locked_until is null or u.locked_until <= p_now)
  for no key update;
  if not found then
    return false;
  end if;
  update sessions s set valid_from_version = coalesce(s.valid_from_version, p_token_version)
  where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now;
  if not found then
    return false;
  end if;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null, updated_at = p_now
  where u.id = p_user;
  update sessions s set ended_at = p_now where s.user_id = p_user and s.id <> p_session and s.ended_at is null;
  perform record_for_person(p_user, true, 'password.changed', '{}', p_now, p_request_id, p_address);
  return true;
end $$;

-- Ends every session of a person, and whatever sign-in is under way. False: the caller's own has ended meanwhile.
create function end_every_session(p_user uuid, p_session uuid, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  ended integer;
begin
  perform from users u where u.id = p_user for no key update;
  perform from sessions s where s.id = p_session and s.user_id = p_user and s.ended_at is null and s.expires_at > p_now for no key update;
  if not found then
    return false;
  end if;
  update users u set token_version = u.token_version + 1, updated_at = p_now where u.id = p_user;
  update sessions s set ended_at = p_now where s.user_id = p_user and s.ended_at is null and s.expires_at > p_now;
  get diagnostics ended = row_count;
  perform record_for_person(p_user, true, 'logout', jsonb_build_object('everywhere', true, 'sessions', ended), p_now, p_request_id, p_address);
  return true;
end $$;

-- What the token of an invitation's mail would let its reader accept. No row: nothing, for accept_invitation would not know it.
create function look_at_invitation(p_hash bytea, p_now timestamptz)
  returns table (tenant_name text, email text, role text, expires_at timestamptz, has_account boolean)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select t.name, m.email, m.role, m.invitation_expires_at, exists (select from users u where u.email = m.email)
  from members m join tenants t on t.id = m.tenant_id and t.is_active
  where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
$$;

do $$
declare
  signature text;
begin
  foreach signature in array array[
    'rename_person(uuid, text, timestamptz, text, text)',
    'change_password(uuid, uuid, integer, text, timestamptz, text, text)',
    'end_every_session(uuid, uuid, timestamptz, text, text)',
    'look_at_invitation(bytea, timestamptz)'
  ] loop
    execute format('alter function %s owner to sello_resolver', signature);
    execute format('revoke execute on function %s from public', signature);
    execute format('grant execute on function %s to sello_app', signature);
  end loop;
end $$;
