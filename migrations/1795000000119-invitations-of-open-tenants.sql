-- An invitation of a tenant that was closed since can be accepted by nobody: who is invited so, and comes by Google, founds one.
create or replace function sign_up_with_identity(
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
  if not exists (
    select from members m join tenants t on t.id = m.tenant_id and t.is_active
    where m.email = p_email and m.status = 'invited' and m.invitation_expires_at > p_now
  ) then
    perform found_tenant(p_tenant, p_tenant_name, p_member, p_user, p_email, p_now, p_request_id, p_address);
  end if;
  return true;
end $$;
comment on function sign_up_with_identity(uuid, text, text, text, text, uuid, text, uuid, timestamptz, text, text) is
  'Sign-in: Creates a person who is known by an identity provider, which has confirmed the address, with a tenant '
  'of their own unless an invitation of an open tenant waits for that address. It returns false if the address or the '
  'identity is taken. The API calls it after a first sign-in at the provider.';
