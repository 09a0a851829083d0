-- A process whose master key opens none of the stored signing keys is not ready: a rollout with a wrong key stops, and nobody seals
-- further secrets under it.
create function master_keys_in_use(p_newest integer) returns setof bytea
  language sql stable security definer set search_path = sello, pg_temp as $$
  select distinct substring(newest.sealed_key from 3 for get_byte(newest.sealed_key, 1))
  from (
    select c.sealed_key from certificates c
    where c.is_active and c.revoked_at is null and octet_length(c.sealed_key) > 2
    order by c.created_at desc limit p_newest
  ) newest
$$;
comment on function master_keys_in_use(integer) is
  'Issuers: Returns the ids of the master keys under which the newest active signing keys are sealed, as they stand at '
  'their beginning. Every process asks for its readiness.';
alter function master_keys_in_use(integer) owner to sello_resolver;
revoke execute on function master_keys_in_use(integer) from public;
grant execute on function master_keys_in_use(integer) to sello_app;
