drop function renew_session(bytea, bytea, timestamptz, interval, timestamptz, text, text);
create or replace function begin_password_reset(p_email text, p_hash bytea, p_expires timestamptz, p_now timestamptz)
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
create or replace function reset_password(p_hash bytea, p_password_hash text, p_now timestamptz, p_request_id text, p_address text)
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
drop function reclaim_tenants(uuid, timestamptz, text, text);
revoke delete on webhook_secrets from sello_resolver;
revoke select (tenant_id, id, deleted_at), update (deleted_at, is_active, updated_at) on webhooks from sello_resolver;
drop policy resolver_reclaims on webhooks;
revoke delete on members from sello_resolver;
revoke update (revoked_at) on api_keys from sello_resolver;
