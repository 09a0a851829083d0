comment on function master_keys_in_use(integer) is
  'Issuers: Returns the ids of the master keys under which the newest active signing keys are sealed, as they stand at '
  'their beginning. Every process asks for its readiness.';
drop function newest_wrapped_keys(integer);
