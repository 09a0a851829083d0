-- A password that nobody looks at, because the account is locked or has none, is no line of the audit log: anybody could bury
-- under such lines what else was done in a tenant. That the account was locked stands there.
create or replace function record_login_failure(
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
  if not found then return; end if;
  perform record_for_person(p_user, false, case when is_locked then 'login.locked' else 'login.failed' end, '{}', p_now, p_request_id, p_address);
end $$;
