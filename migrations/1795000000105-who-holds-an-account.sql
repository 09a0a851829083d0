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
  update one_time_tokens o set used_at = p_now where o.user_id = person.id and o.purpose = 'reset_password' and o.used_at is null;
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
  'other link of a reset worthless and removes linked identities. It returns false if the token is worth nothing. The '
  'mail proves the address: if that was not confirmed before, reclaim_tenants rids the person''s tenants of strangers. '
  'It locks the person before the token. The API calls it.';
