-- A key of Vault that was made anew has the name and the versions of the former one: that a process has the master key of what is
-- stored is proven by opening some of it, not by its id. The secrets themselves, which stand behind, are not handed out.
create function newest_wrapped_keys(p_newest integer) returns table (tenant_id uuid, issuer_id uuid, certificate_id uuid, head bytea)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select c.tenant_id, c.issuer_id, c.id,
    -- Of one that is damaged the lengths may point behind its end.
    case when octet_length(c.sealed_key) > 3 + get_byte(c.sealed_key, 1) then substring(c.sealed_key from 1 for 4 + get_byte(c.sealed_key, 1)
      + 256 * get_byte(c.sealed_key, 2 + get_byte(c.sealed_key, 1)) + get_byte(c.sealed_key, 3 + get_byte(c.sealed_key, 1)))
    else c.sealed_key end
  from certificates c
  where c.is_active and c.revoked_at is null and octet_length(c.sealed_key) > 2
  order by c.created_at desc limit p_newest
$$;
comment on function newest_wrapped_keys(integer) is
  'Issuers: Returns, for the newest active signing keys of all tenants, the beginning of the sealed key: the id of the master '
  'key and the data key wrapped under it, without the secret. Every process tries to open some of them for its readiness.';
comment on function master_keys_in_use(integer) is
  'Issuers: Returns the ids of the master keys under which the newest active signing keys are sealed, as they stand at '
  'their beginning. Only processes of the version before newest_wrapped_keys ask.';
alter function newest_wrapped_keys(integer) owner to sello_resolver;
revoke execute on function newest_wrapped_keys(integer) from public;
grant execute on function newest_wrapped_keys(integer) to sello_app;
