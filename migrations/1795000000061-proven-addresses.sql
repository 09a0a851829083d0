-- An account whose address nobody proved may have been opened by somebody else. Whoever proves the address by a reset gets the
-- account, and the tenants that it founded, without what the other left in them: keys, members, invitations, webhooks.

grant update (revoked_at) on api_keys to sello_resolver;
grant delete on members to sello_resolver;
create policy resolver_reclaims on webhooks to sello_resolver using (true) with check (true);
grant select (tenant_id, id, deleted_at), update (deleted_at, is_active, updated_at) on webhooks to sello_resolver;
grant delete on webhook_secrets to sello_resolver;

-- Leaves a person alone in the tenants that they founded: nobody invited a founder. Under the tenant's lock, as all that adds a
-- key, a member or a webhook, and looks at its caller's session there once more.
create function reclaim_tenants(p_user uuid, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql set search_path = sello, pg_temp as $$
declare
  place record;
begin
  for place in select m.tenant_id, m.id from members m where m.user_id = p_user and m.invited_by is null order by m.tenant_id loop
    perform from tenants t where t.id = place.tenant_id for no key update;
    with keys as (
      update api_keys k set revoked_at = p_now where k.tenant_id = place.tenant_id and k.revoked_at is null
      returning k.id, jsonb_build_object('name', k.name, 'prefix', k.prefix) as detail
    ), others as (
      delete from members m where m.tenant_id = place.tenant_id and m.id <> place.id
      returning m.id, jsonb_build_object('role', m.role, 'status', m.status) as detail
    ), hooks as (
      update webhooks w set deleted_at = p_now, is_active = false, updated_at = p_now where w.tenant_id = place.tenant_id and w.deleted_at is null
      returning w.id, '{}'::jsonb as detail
    ), gone as (
      select 'api_key.revoked' as action, 'api_key' as kind, k.id, k.detail from keys k
      union all select 'member.removed', 'member', o.id, o.detail from others o
      union all select 'webhook.deleted', 'webhook', h.id, h.detail from hooks h
    )
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
    select place.tenant_id, gen_random_uuid(), p_now, 'system', g.action, g.kind, g.id, g.detail || '{"reason": "address_unproven"}', p_request_id, p_address from gone g;
    delete from webhook_secrets s where s.tenant_id = place.tenant_id;
    -- An owner who was let in may have taken the founder's place away.
    update members m set role = 'tenant_owner', status = 'active', updated_at = p_now
    where m.tenant_id = place.tenant_id and m.id = place.id and (m.role <> 'tenant_owner' or m.status <> 'active');
  end loop;
end $$;

-- Keeps the token of a reset for whoever has an account at the address: five a day at most. Earlier ones stay good, so that
-- nobody spoils another's link by asking again. No row: nobody has an account there, or enough mails were sent.
create or replace function begin_password_reset(p_email text, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and u.disabled_at is null for no key update;
  if person.id is null
    or (select count(*) from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.created_at > p_now - interval '1 day') >= 5 then
    return;
  end if;
  perform keep_one_time_token(p_hash, 'reset_password', person.id, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $$;

-- Sets another password, and ends every session and every other link of a reset. The token came by mail, so the address is
-- proven; what was there before it was may be somebody else's and goes.
create or replace function reset_password(p_hash bytea, p_password_hash text, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  -- The person before the token: two resets at once would else wait for each other's.
  select u.* into person from one_time_tokens o join users u on u.id = o.user_id where o.token_hash = p_hash for no key update of u;
  if not exists (select from take_one_time_token(p_hash, 'reset_password', p_now)) then
    return false;
  end if;
  update one_time_tokens o set used_at = p_now where o.user_id = person.id and o.purpose = 'reset_password' and o.used_at is null;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null,
    email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = person.id;
  update sessions s set ended_at = p_now where s.user_id = person.id and s.ended_at is null;
  if person.email_verified_at is null then
    delete from user_identities i where i.user_id = person.id;
    perform reclaim_tenants(person.id, p_now, p_request_id, p_address);
  end if;
  perform record_for_person(person.id, true, 'password.reset', '{}', p_now, p_request_id, p_address);
  return true;
end $$;

-- As rotate_refresh_token, with the time at which the session ends unless it is renewed again.
create function renew_session(
  p_hash bytea, p_new_hash bytea, p_expires timestamptz, p_longest interval, p_now timestamptz, p_request_id text, p_address text)
  returns table (outcome text, user_id uuid, session_id uuid, token_version integer, expires_at timestamptz)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  rotated record;
begin
  select * into rotated from rotate_refresh_token(p_hash, p_new_hash, p_expires, p_longest, p_now, p_request_id, p_address);
  return query select rotated.outcome, rotated.user_id, rotated.session_id, rotated.token_version,
    (select s.expires_at from sessions s where s.id = rotated.session_id);
end $$;

alter function reclaim_tenants(uuid, timestamptz, text, text) owner to sello_resolver;
revoke execute on function reclaim_tenants(uuid, timestamptz, text, text) from public;
alter function renew_session(bytea, bytea, timestamptz, interval, timestamptz, text, text) owner to sello_resolver;
revoke execute on function renew_session(bytea, bytea, timestamptz, interval, timestamptz, text, text) from public;
grant execute on function renew_session(bytea, bytea, timestamptz, interval, timestamptz, text, text) to sello_app;
