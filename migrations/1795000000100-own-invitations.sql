-- Whoever has proved an address may know what its mails said. The token that accepts is in the mail alone, of which only the hash is
-- kept; and who invites cannot tell whether anybody looked. The count is bounded, for strangers decide who is invited by what name.
create function invitations_of_person(p_user uuid, p_now timestamptz)
  returns table (member_id uuid, tenant_name text, role text, expires_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select m.id, t.name, m.role, m.invitation_expires_at
  from users u
  join members m on m.email = u.email and m.status = 'invited' and m.invitation_expires_at > p_now
  join tenants t on t.id = m.tenant_id and t.is_active
  where u.id = p_user and u.email_verified_at is not null
  order by m.invitation_expires_at desc, m.id
  limit 20
$$;
alter function invitations_of_person(uuid, timestamptz) owner to sello_resolver;
revoke execute on function invitations_of_person(uuid, timestamptz) from public;
grant execute on function invitations_of_person(uuid, timestamptz) to sello_app;
comment on function invitations_of_person(uuid, timestamptz) is
  'Members: Returns the invitations that wait for the address of a person, at most 20, of which the newest come first: those that accept_invitation would accept by the token of their mail. It returns no row while the person has not confirmed the address. The API calls it.';
