-- Whoever signed up under a stranger's address had the service write to that stranger about a tenant, under a name of their choice.
create function has_confirmed_address(p_user uuid) returns boolean
  language sql stable security definer set search_path = sello, pg_temp as $$
  select exists (select from users u where u.id = p_user and u.disabled_at is null and u.email_verified_at is not null)
$$;
alter function has_confirmed_address(uuid) owner to sello_resolver;
revoke execute on function has_confirmed_address(uuid) from public;
grant execute on function has_confirmed_address(uuid) to sello_app;
comment on function has_confirmed_address(uuid) is
  'Members: Returns true if a person has an account that no operator has closed, and has confirmed its address. The worker '
  'asks it before it writes to the owners and admins of a tenant.';

comment on function has_open_account(uuid) is
  'Members: Returns true if a person has an account that no operator has closed. The API asks it of the other '
  'owners of a tenant before one of them goes or gets another role.';
