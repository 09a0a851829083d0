comment on function found_own_tenant(uuid, uuid, text, uuid, integer, timestamptz, text, text) is
  'Sign-in: Creates a further tenant for a person and returns founded, or unconfirmed if the person''s address is '
  'not confirmed, or too_many if they own p_limit tenants already. It locks the person, so that two requests at '
  'once are counted one after the other. The API calls it.';
create or replace function found_own_tenant(
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
comment on function set_person_disabled(text, boolean, timestamptz) is
  'Sign-in: Closes the account with this address, or opens it again; either way all sessions and access tokens end '
  'at once and the person''s tenants find it in their audit logs. It returns false if nobody has the address. Only '
  'the operator may call it, as the owner of the schema.';
create or replace function set_person_disabled(p_email text, p_disabled boolean, p_now timestamptz)
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
comment on function keep_one_time_token(bytea, text, uuid, jsonb, timestamptz, timestamptz) is
  'Sign-in: Keeps the hash of a token that works once, with its purpose, person, details and end, and on the '
  'occasion deletes up to 20 tokens that ended more than a day ago. The API calls it for sign-ins at a provider and '
  'identities to link, and so do begin_email_verification and begin_password_reset.';
create or replace function keep_one_time_token(p_hash bytea, p_purpose text, p_user uuid, p_detail jsonb, p_expires timestamptz, p_now timestamptz)
  returns void
  language sql security definer set search_path = sello, pg_temp as $$
  delete from one_time_tokens where token_hash in
    (select o.token_hash from one_time_tokens o where o.expires_at < p_now - interval '1 day' order by o.expires_at limit 20 for update skip locked);
  insert into one_time_tokens (token_hash, purpose, user_id, detail, created_at, expires_at)
  values (p_hash, p_purpose, p_user, p_detail, p_now, p_expires);
$$;
create or replace function address_of_token(p_hash bytea, p_now timestamptz)
  returns text
  language sql stable security definer set search_path = sello, pg_temp as $$
  select u.email from one_time_tokens o join users u on u.id = o.user_id
  where o.token_hash = p_hash and o.purpose = 'reset_password' and o.used_at is null and o.expires_at > p_now
  union all
  select m.email from members m where m.invitation_hash = p_hash and m.status = 'invited' and m.invitation_expires_at > p_now
  limit 1
$$;
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
create or replace function take_one_time_token(p_hash bytea, p_purpose text, p_now timestamptz)
  returns table (user_id uuid, detail jsonb)
  language sql security definer set search_path = sello, pg_temp as $$
  update one_time_tokens o set used_at = p_now
  where o.token_hash = p_hash and o.purpose = p_purpose and o.used_at is null and o.expires_at > p_now
  returning o.user_id, o.detail
$$;
create or replace function begin_password_reset(p_email text, p_hash bytea, p_expires timestamptz, p_now timestamptz)
  returns table (email text, name text)
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  person users%rowtype;
begin
  select * into person from users u where u.email = p_email and u.disabled_at is null for no key update;
  if person.id is null
    or (select count(*) from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.created_at > p_now - interval '1 day') >= 5
      and exists (
        select from one_time_tokens o where o.user_id = person.id and o.purpose = 'reset_password' and o.used_at is null and o.expires_at > p_now) then
    return;
  end if;
  perform keep_one_time_token(p_hash, 'reset_password', person.id, '{}', p_expires, p_now);
  return query select person.email, person.name;
end $$;
alter function reset_password(bytea, text, timestamptz, text, text) reset enable_seqscan;
alter function begin_email_verification(uuid, bytea, timestamptz, timestamptz) reset enable_seqscan;
