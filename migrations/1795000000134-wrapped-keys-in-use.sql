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

-- After a master key was lost, or changed for Vault, keys of certificates that nobody signs with any more never open again: the
-- rotation has to tell them from those that are in use.
create function sealed_keys_to_rotate(p_tenant uuid, p_id uuid, p_limit integer)
  returns table (tenant_id uuid, id uuid, issuer_id uuid, sealed_key bytea, is_active boolean)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select c.tenant_id, c.id, c.issuer_id, c.sealed_key, c.is_active from certificates c
  where (c.tenant_id, c.id) > (p_tenant, p_id) and c.revoked_at is null
  order by c.tenant_id, c.id
  limit p_limit
$$;
comment on function sealed_keys_to_rotate(uuid, uuid, integer) is
  'Issuers: Returns up to p_limit sealed private keys, in the order of tenant and id, that come after the given place, and whether '
  'their certificates are active; revoked ones are left out. Only the operator may call it, through `npm run rotate-master-key`.';
comment on function sealed_keys_after(uuid, uuid, integer) is
  'Issuers: As sealed_keys_to_rotate, without what is active. Only the command of the version before calls it.';
alter function sealed_keys_to_rotate(uuid, uuid, integer) owner to sello_resolver;
revoke execute on function sealed_keys_to_rotate(uuid, uuid, integer) from public;
