-- Writes one line of the audit log in the transaction of the act that it tells of; true, so that it may stand in a select
-- list beside the act's own function. The line: {at, actor_kind, actor_id, action, target_kind, target_id, detail,
-- request_id, address}.
create function record_audit(p_tenant uuid, p_line jsonb) returns boolean
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true);
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, target_kind, target_id, detail, request_id, address)
  values (
    p_tenant, gen_random_uuid(), (p_line ->> 'at')::timestamptz, p_line ->> 'actor_kind', (p_line ->> 'actor_id')::uuid, p_line ->> 'action',
    p_line ->> 'target_kind', (p_line ->> 'target_id')::uuid, coalesce(p_line -> 'detail', '{}'), p_line ->> 'request_id', p_line ->> 'address');
  return true;
end $$;

-- Key look-up before the tenant is known. Returns the row also when revoked: the caller decides.
drop function authenticate_api_key(bytea);
create function authenticate_api_key(p_hash bytea)
  returns table (api_key_id uuid, tenant_id uuid, environment text, revoked_at timestamptz, last_used_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select k.id, k.tenant_id, k.environment, case when t.is_active then k.revoked_at else t.created_at end, k.last_used_at
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.key_hash = p_hash
$$;
alter function authenticate_api_key(bytea) owner to sello_resolver;
revoke execute on function authenticate_api_key(bytea) from public;
grant execute on function authenticate_api_key(bytea) to sello_app;

-- Notes that a key was used, at most once a minute. Nobody waits: not for another that notes the same, nor for the disk.
create function note_api_key_use(p_tenant uuid, p_api_key uuid, p_now timestamptz) returns void
  language plpgsql as $$
begin
  perform set_config('sello.tenant_id', p_tenant::text, true), set_config('synchronous_commit', 'off', true);
  update api_keys k set last_used_at = p_now
  from (
    select a.id from api_keys a
    where a.tenant_id = p_tenant and a.id = p_api_key and (a.last_used_at is null or a.last_used_at <= p_now - interval '1 minute')
    for no key update skip locked
  ) stale
  where k.tenant_id = p_tenant and k.id = stale.id;
end $$;

-- Tells a person's tenants that the person named another one: at most once a minute, so that nobody floods the log.
create function record_foreign_attempt(p_user uuid, p_named uuid, p_now timestamptz, p_request_id text, p_address text) returns void
  language sql security definer set search_path = sello, pg_temp as $$
  insert into audit_log (tenant_id, id, at, actor_kind, actor_id, action, detail, request_id, address)
  select m.tenant_id, md5(m.tenant_id::text || p_user::text || date_trunc('minute', p_now at time zone 'UTC')::text || 'foreign')::uuid, p_now,
    'user', p_user, 'access.foreign_tenant_refused', jsonb_build_object('named', p_named), p_request_id, p_address
  from members m where m.user_id = p_user and m.status = 'active'
  on conflict do nothing
$$;

-- Owners name their tenant; whether it is active is the platform's affair.
grant update (name) on tenants to sello_app;
grant update (is_active) on tenants to sello_resolver;

-- The members of the current tenant with what the tenant may know of the person. Who was invited and has not accepted is
-- an address and nothing else, whether or not somebody has an account under it.
create function member_cards(p_tenant uuid)
  returns table (
    member_id uuid, user_id uuid, email text, name text, role text, status text, invited_at timestamptz, last_login_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select m.id, m.user_id, m.email, u.name, m.role, m.status, m.invited_at, u.last_login_at
  from members m left join users u on u.id = m.user_id
  where m.tenant_id = p_tenant and p_tenant = current_tenant()
$$;

-- Only a platform administrator whose account stands may act on the platform. SE130: the caller is none.
create function require_platform_admin(p_user uuid) returns void
  language plpgsql stable security definer set search_path = sello, pg_temp as $$
begin
  if not exists (select from users u where u.id = p_user and u.is_platform_admin and u.disabled_at is null) then
    raise exception 'no platform administrator' using errcode = 'SE130';
  end if;
end $$;

create function platform_tenants(p_user uuid, p_limit integer, p_offset integer)
  returns table (id uuid, name text, is_active boolean, created_at timestamptz, total bigint)
  language plpgsql stable security definer set search_path = sello, pg_temp as $$
begin
  perform require_platform_admin(p_user);
  return query
  select t.id, t.name, t.is_active, t.created_at, counted.total
  from (select count(*) as total from tenants) counted
  left join lateral (select * from tenants a order by a.created_at desc, a.id desc limit p_limit offset p_offset) t on true;
end $$;

-- A tenant whose owner is invited by mail.
create function platform_create_tenant(
  p_user uuid, p_tenant uuid, p_name text, p_member uuid, p_email text, p_invitation bytea, p_expires timestamptz, p_now timestamptz, p_line jsonb)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  perform require_platform_admin(p_user);
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into members (tenant_id, id, email, role, status, invited_at, invited_by, invitation_hash, invitation_expires_at, created_at, updated_at)
  values (p_tenant, p_member, p_email, 'tenant_owner', 'invited', p_now, p_user, p_invitation, p_expires, p_now, p_now);
  perform record_audit(p_tenant, p_line);
end $$;

-- Opens or closes a tenant to everybody but the platform. No row: there is no such tenant. Nothing is recorded where
-- nothing changes.
create function platform_set_tenant_active(p_user uuid, p_tenant uuid, p_active boolean, p_line jsonb)
  returns table (id uuid, name text, is_active boolean, created_at timestamptz)
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  perform require_platform_admin(p_user);
  update tenants t set is_active = p_active where t.id = p_tenant and t.is_active <> p_active;
  if found then
    perform record_audit(p_tenant, p_line);
  end if;
  return query select t.id, t.name, t.is_active, t.created_at from tenants t where t.id = p_tenant;
end $$;

do $$
declare
  signature text;
begin
  foreach signature in array array[
    'record_foreign_attempt(uuid, uuid, timestamptz, text, text)',
    'member_cards(uuid)',
    'require_platform_admin(uuid)',
    'platform_tenants(uuid, integer, integer)',
    'platform_create_tenant(uuid, uuid, text, uuid, text, bytea, timestamptz, timestamptz, jsonb)',
    'platform_set_tenant_active(uuid, uuid, boolean, jsonb)'
  ] loop
    execute format('alter function %s owner to sello_resolver', signature);
    execute format('revoke execute on function %s from public', signature);
    execute format('grant execute on function %s to sello_app', signature);
  end loop;
end $$;
