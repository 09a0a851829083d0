comment on function has_open_account(uuid) is
  'Members: Returns true if a person has an account that no operator has closed. The worker asks it before it writes to the '
  'owners and admins of a tenant.';

drop function has_confirmed_address(uuid);
