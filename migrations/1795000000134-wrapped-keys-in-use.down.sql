comment on function sealed_keys_after(uuid, uuid, integer) is
  'Issuers: Returns up to p_limit sealed private keys, in the order of tenant and id, that come after the given '
  'place; revoked certificates are left out. Only the operator may call it, through `npm run rotate-master-key`.';
drop function sealed_keys_to_rotate(uuid, uuid, integer);
comment on function master_keys_in_use(integer) is
  'Issuers: Returns the ids of the master keys under which the newest active signing keys are sealed, as they stand at '
  'their beginning. Every process asks for its readiness.';
drop function newest_wrapped_keys(integer);
