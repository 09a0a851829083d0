-- As before; what was linked goes whenever the password is set anew. An address may have passed to somebody else since it was
-- proven, and who held it before would come in by their account at the identity provider, whatever that address is now.
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
  update one_time_tokens o set used_at = p_now where o.user_id = person.id and o.purpose in ('reset_password', 'link_identity') and o.used_at is null;
  update users u set password_hash = p_password_hash, token_version = u.token_version + 1, failed_logins = 0, locked_until = null,
    email_verified_at = coalesce(u.email_verified_at, p_now), updated_at = p_now
  where u.id = person.id;
  update sessions s set ended_at = p_now where s.user_id = person.id and s.ended_at is null;
  delete from user_identities i where i.user_id = person.id;
  if person.email_verified_at is null then
    perform reclaim_tenants(person.id, p_now, p_request_id, p_address);
  end if;
  perform record_for_person(person.id, true, 'password.reset', '{}', p_now, p_request_id, p_address);
  return true;
end $$;
comment on function reset_password(bytea, text, timestamptz, text, text) is
  'Sign-in: Sets another password for the person to whom the token was mailed, ends all their sessions, makes every '
  'other link of a reset worthless and removes identities that are linked or offered. It returns false if the token '
  'is worth nothing. The mail proves the address: if that was not confirmed before, reclaim_tenants rids the '
  'person''s tenants of strangers. It locks the person before the token. The API calls it.';

-- As before, one after the other with a reset.
create or replace function link_identity(p_hash bytea, p_user uuid, p_now timestamptz, p_request_id text, p_address text)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  offered jsonb;
begin
  -- A reset under way makes the token worthless.
  perform from users u where u.id = p_user for no key update;
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
comment on function link_identity(bytea, uuid, timestamptz, text, text) is
  'Sign-in: Links the account at an identity provider that a one-time token offers to the person who is signed in, '
  'and confirms the person''s address if it is the same. It returns false if the token is unknown, used, too old or '
  'another person''s, or if the account is linked already. It '
  'locks the person before the token. The API calls it.';

-- As before; what an operator does to a tenant or a person stands in the audit log like what others do.
create or replace function provision_tenant(
  p_tenant uuid, p_name text, p_api_key uuid, p_key_name text, p_prefix text, p_hash bytea, p_environment text, p_now timestamptz)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at)
  values (p_tenant, p_api_key, p_key_name, p_prefix, p_hash, p_environment, p_now);
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values
    (p_tenant, gen_random_uuid(), p_now, 'system', 'tenant.founded', 'tenant', p_tenant, '{}'),
    (p_tenant, gen_random_uuid(), p_now, 'system', 'api_key.created', 'api_key', p_api_key, jsonb_build_object('name', p_key_name, 'prefix', p_prefix));
end $$;
comment on function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz) is
  'Tenants: Creates a tenant with its first API key, of which only the hash is kept, and begins its audit log with '
  'both. Only the operator may call it, as the owner of the schema: it is no act of the service, and sello_app may not '
  'execute it.';

create or replace function set_platform_admin(p_email text, p_is_admin boolean, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and (not p_is_admin or u.email_verified_at is not null) for no key update;
  if not found then
    return false;
  end if;
  if person.is_platform_admin <> p_is_admin then
    update users u set is_platform_admin = p_is_admin, updated_at = p_now where u.id = person.id;
    perform record_for_person(
      person.id, false, case when p_is_admin then 'person.platform_admin_appointed' else 'person.platform_admin_dismissed' end, '{}', p_now, null, null);
  end if;
  return true;
end $$;
comment on function set_platform_admin(text, boolean, timestamptz) is
  'Platform: Makes the person with this address an administrator of the platform, or no longer; the person''s tenants '
  'find a change in their audit logs. It returns false if nobody has the address, or if it is not confirmed and the '
  'right is to be given. It locks the person. Only the operator may call it, as the owner of the schema.';
