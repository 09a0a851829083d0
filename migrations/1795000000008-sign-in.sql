-- Signing in: the narrow functions through which the service reaches people, sessions and tokens. Secrets come in as
-- hashes. Functions whose callers say what the request was (request id, address) leave a line in the audit log of every
-- tenant the person is an active member of.

-- A line in the audit log of each of a person's tenants. Without the person's doing: somebody tried to be them.
create function record_for_person(
  p_user uuid, p_by_person boolean, p_action text, p_detail jsonb, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language sql set search_path = sello, pg_temp as $$
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  select m.tenant_id, gen_random_uuid(), p_now, case when p_by_person then 'user' else 'system' end, case when p_by_person then p_user end,
    p_action, 'user', p_user, p_detail, p_request_id, p_address
  from members m where m.user_id = p_user and m.status = 'active'
$$;

-- A tenant founded by a person, who owns it.
create function found_tenant(
  p_tenant uuid, p_name text, p_member uuid, p_user uuid, p_email text, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language sql set search_path = sello, pg_temp as $$
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into members (tenant_id, id, user_id, email, role, status, invited_at, joined_at, created_at, updated_at)
  values (p_tenant, p_member, p_user, p_email, 'tenant_owner', 'active', p_now, p_now, p_now, p_now);
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, request_id, address)
  values (p_tenant, gen_random_uuid(), p_now, 'user', p_user, 'tenant.founded', 'tenant', p_tenant, p_request_id, p_address);
$$;

create function find_account(p_email text)
  returns table (user_id uuid, password_hash text, token_version integer, locked_until timestamptz, disabled_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.id, u.password_hash, u.token_version, u.locked_until, u.disabled_at from users u where u.email = p_email
$$;

-- Opens a session for a person who has just proved who they are. False: the account was disabled, locked, or given
-- another password meanwhile.
create function open_session(
  p_user uuid, p_token_version integer, p_session uuid, p_refresh_hash bytea, p_method text,
  p_expires timestamptz, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  -- Guessed passwords close the way of passwords, and no other.
  update users u set
    failed_logins = case when p_method = 'password' then 0 else u.failed_logins end,
    locked_until = case when p_method = 'password' then null else u.locked_until end,
    last_login_at = p_now
  where u.id = p_user and u.token_version = p_token_version and u.disabled_at is null
    and (p_method <> 'password' or u.locked_until is null or u.locked_until <= p_now);
  if not found then
    return false;
  end if;
  -- What ended long ago is cleared away on the occasion.
  delete from refresh_tokens r using sessions s
  where s.user_id = p_user and r.session_id = s.id and coalesce(s.ended_at, s.expires_at) < p_now - interval '30 days';
  delete from sessions s where s.user_id = p_user and coalesce(s.ended_at, s.expires_at) < p_now - interval '30 days';
  insert into sessions (id, user_id, created_at, expires_at) values (p_session, p_user, p_now, p_expires);
  insert into refresh_tokens (token_hash, session_id, created_at, expires_at) values (p_refresh_hash, p_session, p_now, p_expires);
  perform record_for_person(p_user, true, 'login.succeeded', jsonb_build_object('method', p_method), p_now, p_request_id, p_address);
  return true;
end $$;

-- A wrong password. After p_limit of them in a row the account takes none until p_locked_until; while it is locked
-- nothing is counted.
create function record_login_failure(
  p_user uuid, p_limit integer, p_locked_until timestamptz, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  is_locked boolean;
begin
  update users u set
    failed_logins = case when u.failed_logins + 1 >= p_limit then 0 else u.failed_logins + 1 end,
    locked_until = case when u.failed_logins + 1 >= p_limit then p_locked_until end
  where u.id = p_user and u.password_hash is not null and (u.locked_until is null or u.locked_until <= p_now)
  returning u.locked_until is not null into is_locked;
  perform record_for_person(p_user, false, case when is_locked then 'login.locked' else 'login.failed' end, '{}', p_now, p_request_id, p_address);
end $$;

-- Changes a refresh token for a new one. One that was used before is in two hands: its session ends. A session lives
-- as long as its newest token, but never beyond p_longest after its beginning.
create function rotate_refresh_token(
  p_hash bytea, p_new_hash bytea, p_expires timestamptz, p_longest interval, p_now timestamptz, p_request_id text, p_address text)
  returns table (outcome text, user_id uuid, session_id uuid, token_version integer)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held record;
begin
  select r.used_at, r.expires_at, s.id as session_id, s.user_id, s.ended_at, s.created_at, s.expires_at as session_expires, u.token_version, u.disabled_at into held
  from refresh_tokens r join sessions s on s.id = r.session_id join users u on u.id = s.user_id
  where r.token_hash = p_hash
  for update of r, s;
  if held.session_id is null or held.ended_at is not null or held.disabled_at is not null then
    return query select 'refused', null::uuid, null::uuid, null::integer;
  elsif held.used_at is not null then
    update sessions s set ended_at = p_now where s.id = held.session_id;
    perform record_for_person(held.user_id, false, 'session.token_reused', jsonb_build_object('session_id', held.session_id), p_now, p_request_id, p_address);
    return query select 'reused', null::uuid, null::uuid, null::integer;
  elsif held.expires_at <= p_now or held.session_expires <= p_now or held.created_at + p_longest <= p_now then
    return query select 'refused', null::uuid, null::uuid, null::integer;
  else
    update refresh_tokens r set used_at = p_now where r.token_hash = p_hash;
    insert into refresh_tokens (token_hash, session_id, created_at, expires_at)
    values (p_new_hash, held.session_id, p_now, least(p_expires, held.created_at + p_longest));
    update sessions s set expires_at = least(p_expires, held.created_at + p_longest) where s.id = held.session_id;
    return query select 'rotated', held.user_id, held.session_id, held.token_version;
  end if;
end $$;

create function end_session(p_user uuid, p_session uuid, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  update sessions s set ended_at = p_now where s.id = p_session and s.user_id = p_user and s.ended_at is null;
  if found then
    perform record_for_person(p_user, true, 'logout', '{}', p_now, p_request_id, p_address);
  end if;
end $$;

-- A new person with a tenant of their own. False: the address is taken.
create function sign_up(
  p_user uuid, p_email text, p_name text, p_password_hash text, p_tenant uuid, p_tenant_name text, p_member uuid,
  p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into users (id, email, name, password_hash, created_at, updated_at)
  values (p_user, p_email, p_name, p_password_hash, p_now, p_now)
  on conflict (email) do nothing;
  if not found then
    return false;
  end if;
  perform found_tenant(p_tenant, p_tenant_name, p_member, p_user, p_email, p_now, p_request_id, p_address);
  return true;
end $$;

-- What a signed-in person is told of themselves: one row per tenant they belong to, or one without a tenant.
create function describe_person(p_user uuid)
  returns table (email text, name text, email_verified boolean, is_platform_admin boolean, has_password boolean, providers text[],
    last_login_at timestamptz, tenant_id uuid, tenant_name text, member_id uuid, role text, status text)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.email, u.name, u.email_verified_at is not null, u.is_platform_admin, u.password_hash is not null,
    array(select i.issuer from user_identities i where i.user_id = u.id order by i.created_at), u.last_login_at,
    t.id, t.name, m.id, m.role, m.status
  from users u
  left join (members m join tenants t on t.id = m.tenant_id and t.is_active) on m.user_id = u.id
  where u.id = p_user
  order by m.created_at
$$;

-- Keeps a token for one use. Tokens long past are cleared away on the occasion.
create function keep_one_time_token(p_hash bytea, p_purpose text, p_user uuid, p_detail jsonb, p_expires timestamptz, p_now timestamptz)
  returns void
  language sql security definer set search_path = sello, pg_temp as $$
  delete from one_time_tokens where token_hash in
    (select o.token_hash from one_time_tokens o where o.expires_at < p_now - interval '1 day' order by o.expires_at limit 20 for update skip locked);
  insert into one_time_tokens (token_hash, purpose, user_id, detail, created_at, expires_at)
  values (p_hash, p_purpose, p_user, p_detail, p_now, p_expires);
$$;

-- Uses a token up. No row: there is none, it was used, or it is too late.
create function take_one_time_token(p_hash bytea, p_purpose text, p_now timestamptz)
  returns table (user_id uuid, detail jsonb)
  language sql security definer set search_path = sello, pg_temp as $$
  update one_time_tokens o set used_at = p_now
  where o.token_hash = p_hash and o.purpose = p_purpose and o.used_at is null and o.expires_at > p_now
  returning o.user_id, o.detail
$$;

create function verify_email(p_hash bytea, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person uuid;
begin
  select t.user_id into person from take_one_time_token(p_hash, 'verify_email', p_now) t;
  if person is null then
    return false;
  end if;
  update users u set email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now where u.id = person;
  perform record_for_person(person, true, 'email.verified', '{}', p_now, p_request_id, p_address);
  return true;
end $$;

-- Keeps the token of a reset for whoever has an account at the address; earlier ones end. No row: nobody has.
create function begin_password_reset(p_email text, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and u.disabled_at is null;
  update one_time_tokens o set used_at = p_now where o.user_id = person.id and o.purpose = 'reset_password' and o.used_at is null;
  if person.id is not null then
    perform keep_one_time_token(p_hash, 'reset_password', person.id, '{}', p_expires, p_now);
    return query select person.email, person.name;
  end if;
end $$;

-- Sets another password and ends every session. The token came by mail, so the address is proven; identities that were
-- linked before it was may be somebody else's and go.
create function reset_password(p_hash bytea, p_password_hash text, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person uuid;
begin
  select t.user_id into person from take_one_time_token(p_hash, 'reset_password', p_now) t;
  if person is null then
    return false;
  end if;
  delete from user_identities i using users u where u.id = person and i.user_id = u.id and u.email_verified_at is null;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null,
    email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = person;
  update sessions s set ended_at = p_now where s.user_id = person and s.ended_at is null;
  perform record_for_person(person, true, 'password.reset', '{}', p_now, p_request_id, p_address);
  return true;
end $$;

-- Whom an account at an identity provider belongs to: the person it is linked to, else whoever has its address here.
create function find_identity(p_issuer text, p_subject text, p_email text)
  returns table (user_id uuid, token_version integer, is_linked boolean)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.id, u.token_version, i.user_id is not null
  from users u left join user_identities i on i.user_id = u.id and i.issuer = p_issuer and i.subject = p_subject
  where i.user_id is not null or u.email = p_email
  order by (i.user_id is not null) desc
  limit 1
$$;

-- A new person known by an identity provider, with a tenant of their own unless an invitation waits for them. False:
-- the address or the identity is taken.
create function sign_up_with_identity(
  p_user uuid, p_email text, p_name text, p_issuer text, p_subject text, p_tenant uuid, p_tenant_name text, p_member uuid,
  p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if exists (select from user_identities i where i.issuer = p_issuer and i.subject = p_subject) then
    return false;
  end if;
  insert into users (id, email, name, email_verified_at, created_at, updated_at)
  values (p_user, p_email, p_name, p_now, p_now, p_now)
  on conflict (email) do nothing;
  if not found then
    return false;
  end if;
  insert into user_identities (issuer, subject, user_id, created_at) values (p_issuer, p_subject, p_user, p_now);
  if not exists (select from members m where m.email = p_email and m.status = 'invited' and m.invitation_expires_at > p_now) then
    perform found_tenant(p_tenant, p_tenant_name, p_member, p_user, p_email, p_now, p_request_id, p_address);
  end if;
  return true;
end $$;

-- Links an identity that was proven at its provider to the signed-in person it was offered to.
create function link_identity(p_hash bytea, p_user uuid, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  offered jsonb;
begin
  update one_time_tokens o set used_at = p_now
  where o.token_hash = p_hash and o.purpose = 'link_identity' and o.user_id = p_user and o.used_at is null and o.expires_at > p_now
  returning o.detail into offered;
  if offered is null then
    return false;
  end if;
  insert into user_identities (issuer, subject, user_id, created_at)
  values (offered ->> 'issuer', offered ->> 'subject', p_user, p_now)
  on conflict (issuer, subject) do nothing;
  if not found then
    return false;
  end if;
  update users u set email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = p_user and u.email = offered ->> 'email';
  perform record_for_person(p_user, true, 'identity.linked', jsonb_build_object('issuer', offered ->> 'issuer'), p_now, p_request_id, p_address);
  return true;
end $$;

-- Makes the invited person a member: an account of the invited address, or a new one when a password is given.
-- Outcomes: accepted; unknown (no such invitation, or too late); other_person; sign_in_required (the address has an account).
create function accept_invitation(
  p_hash bytea, p_user uuid, p_name text, p_password_hash text, p_now timestamptz, p_request_id text, p_address text)
  returns table (outcome text, tenant_id uuid, member_id uuid)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  invited members%rowtype;
begin
  select m.* into invited from members m join tenants t on t.id = m.tenant_id and t.is_active
  where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
  for update of m;
  if invited.id is null then
    return query select 'unknown', null::uuid, null::uuid;
    return;
  end if;
  if p_password_hash is null then
    if not exists (select from users u where u.id = p_user and u.email = invited.email and u.disabled_at is null) then
      return query select 'other_person', null::uuid, null::uuid;
      return;
    end if;
    update users u set email_verified_at = coalesce(u.email_verified_at, p_now) where u.id = p_user;
  else
    insert into users (id, email, name, password_hash, email_verified_at, created_at, updated_at)
    values (p_user, invited.email, p_name, p_password_hash, p_now, p_now, p_now)
    on conflict (email) do nothing;
    if not found then
      return query select 'sign_in_required', null::uuid, null::uuid;
      return;
    end if;
  end if;
  update members m set user_id = p_user, status = 'active', joined_at = p_now, updated_at = p_now, invitation_hash = null, invitation_expires_at = null
  where m.tenant_id = invited.tenant_id and m.id = invited.id;
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  values (invited.tenant_id, gen_random_uuid(), p_now, 'user', p_user, 'invitation.accepted', 'member', invited.id,
    jsonb_build_object('role', invited.role), p_request_id, p_address);
  return query select 'accepted', invited.tenant_id, invited.id;
end $$;

-- True while a session's person may act in a tenant: the last look of what takes long.
create function session_acts_in(p_tenant uuid, p_session uuid, p_now timestamptz)
  returns boolean
  language sql stable security definer set search_path = sello, pg_temp as $$
  select exists (
    select from sessions s join users u on u.id = s.user_id join tenants t on t.id = p_tenant
    where s.id = p_session and s.ended_at is null and s.expires_at > p_now and u.disabled_at is null and t.is_active
      and (u.is_platform_admin or exists (
        select from members m where m.tenant_id = p_tenant and m.user_id = u.id and m.status = 'active')))
$$;

-- True while a caller's credential, an API key or a person's session, may act in the tenant.
create function is_credential_valid(p_tenant uuid, p_credential uuid, p_now timestamptz)
  returns boolean
  language sql stable as $$
  select case
    when exists (
      select from api_keys k join tenants t on t.id = k.tenant_id
      where k.tenant_id = p_tenant and k.id = p_credential and k.revoked_at is null and t.is_active
    ) then true
    else session_acts_in(p_tenant, p_credential, p_now)
  end
$$;

-- Makes somebody an administrator of the platform, or no longer. An operator's act: the service's role may not call it.
-- False: nobody has the address, or has not proved that it is theirs.
create function set_platform_admin(p_email text, p_is_admin boolean, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  update users u set is_platform_admin = p_is_admin, updated_at = p_now
  where u.email = p_email and (not p_is_admin or u.email_verified_at is not null);
  return found;
end $$;

-- Tells a tenant that a platform administrator works in it: once an hour and session, whatever is done. False: there is
-- no such tenant, or the session is no administrator's.
create function enter_tenant(p_tenant uuid, p_user uuid, p_session uuid, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if not exists (select from tenants t where t.id = p_tenant)
    or not exists (select from users u join sessions s on s.user_id = u.id where u.id = p_user and u.is_platform_admin and s.id = p_session) then
    return false;
  end if;
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, request_id, address)
  values (p_tenant, md5(p_tenant::text || p_session::text || date_trunc('hour', p_now at time zone 'UTC')::text)::uuid, p_now,
    'platform_admin', p_user, 'platform.tenant_entered', 'tenant', p_tenant, p_request_id, p_address)
  on conflict do nothing;
  return true;
end $$;

do $$
declare
  entry record;
begin
  for entry in
    select p.oid::regprocedure::text as signature, p.proname = any (array['record_for_person', 'found_tenant', 'set_platform_admin']) as is_inner
    from pg_proc p
    where p.pronamespace = 'sello'::regnamespace and p.proname = any (array[
      'record_for_person', 'found_tenant', 'find_account', 'open_session', 'record_login_failure', 'rotate_refresh_token', 'end_session',
      'sign_up', 'describe_person', 'keep_one_time_token', 'take_one_time_token', 'verify_email', 'begin_password_reset', 'reset_password',
      'find_identity', 'sign_up_with_identity', 'link_identity', 'accept_invitation', 'session_acts_in', 'set_platform_admin', 'enter_tenant'])
  loop
    execute format('alter function %s owner to sello_resolver', entry.signature);
    execute format('revoke execute on function %s from public', entry.signature);
    if not entry.is_inner then
      execute format('grant execute on function %s to sello_app', entry.signature);
    end if;
  end loop;
end $$;
