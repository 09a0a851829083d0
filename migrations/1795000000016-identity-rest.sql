-- The rest of signing in and out: sessions ended by their refresh token, confirmation mails sent anew, further tenants,
-- accounts that an operator closes.

-- Ends the session of a refresh token, used or not: whoever holds one may give its session up.
create function end_session_of_token(p_hash bytea, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held record;
begin
  select s.id, s.user_id into held from refresh_tokens r join sessions s on s.id = r.session_id where r.token_hash = p_hash;
  if held.id is not null then
    perform end_session(held.user_id, held.id, p_now, p_request_id, p_address);
  end if;
end $$;

-- The address that a token of a mail was sent to, for a reset or an invitation; null when the token is worth nothing.
create function address_of_token(p_hash bytea, p_now timestamptz)
  returns text
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.email from one_time_tokens o join users u on u.id = o.user_id
  where o.token_hash = p_hash and o.purpose = 'reset_password' and o.used_at is null and o.expires_at > p_now
  union all
  select m.email from members m where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
  limit 1
$$;

-- Keeps the token of a confirmation mail; earlier ones end. No row: the address is confirmed already.
create function begin_email_verification(p_user uuid, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.id = p_user and u.email_verified_at is null and u.disabled_at is null;
  if person.id is null then
    return;
  end if;
  update one_time_tokens o set used_at = p_now where o.user_id = p_user and o.purpose = 'verify_email' and o.used_at is null;
  perform keep_one_time_token(p_hash, 'verify_email', p_user, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $$;

-- A further tenant of a person whose address is confirmed. Outcomes: founded; unconfirmed; too_many (owns p_limit already).
create function found_own_tenant(
  p_user uuid, p_tenant uuid, p_name text, p_member uuid, p_limit integer, p_now timestamptz, p_request_id text, p_address text)
  returns text
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.id = p_user for no key update;
  if person.email_verified_at is null then
    return 'unconfirmed';
  end if;
  if (select count(*) from members m where m.user_id = p_user and m.role = 'tenant_owner') >= p_limit then
    return 'too_many';
  end if;
  perform found_tenant(p_tenant, p_name, p_member, p_user, person.email, p_now, p_request_id, p_address);
  return 'founded';
end $$;

-- Closes a person's account, or opens it again. An operator's act: the service's role may not call it. Sessions end at
-- once. False: nobody has the address.
create function set_person_disabled(p_email text, p_disabled boolean, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person uuid;
begin
  update users u set disabled_at = case when p_disabled then coalesce(u.disabled_at, p_now) end, updated_at = p_now,
    token_version = u.token_version + 1
  where u.email = p_email
  returning u.id into person;
  if person is null then
    return false;
  end if;
  update sessions s set ended_at = p_now where s.user_id = person and s.ended_at is null;
  perform record_for_person(person, false, case when p_disabled then 'person.disabled' else 'person.enabled' end, '{}', p_now, null, null);
  return true;
end $$;

do $$
declare
  entry record;
begin
  for entry in
    select p.oid::regprocedure::text as signature, p.proname = 'set_person_disabled' as is_inner
    from pg_proc p
    where p.pronamespace = 'sello'::regnamespace and p.proname = any (array[
      'end_session_of_token', 'address_of_token', 'begin_email_verification', 'found_own_tenant', 'set_person_disabled'])
  loop
    execute format('alter function %s owner to sello_resolver', entry.signature);
    execute format('revoke execute on function %s from public', entry.signature);
    if not entry.is_inner then
      execute format('grant execute on function %s to sello_app', entry.signature);
    end if;
  end loop;
end $$;

-- Invitations of a tenant and of a member are counted in the log of what was done.
create index audit_log_by_action on audit_log (tenant_id, action, at desc);
