alter table verified_rucs add column barred_issuer uuid;
create function master_keys_in_use(p_newest integer) returns setof bytea
  language sql stable security definer set search_path = sello, pg_temp as $$
  select distinct substring(newest.sealed_key from 3 for get_byte(newest.sealed_key, 1))
  from (
    select c.sealed_key from certificates c
    where c.is_active and c.revoked_at is null and octet_length(c.sealed_key) > 2
    order by c.created_at desc limit p_newest
  ) newest
$$;
alter function master_keys_in_use(integer) owner to sello_resolver;
revoke execute on function master_keys_in_use(integer) from public;
grant execute on function master_keys_in_use(integer) to sello_app;
create function sealed_keys_after(p_tenant uuid, p_id uuid, p_limit integer)
  returns table (tenant_id uuid, id uuid, issuer_id uuid, sealed_key bytea)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select c.tenant_id, c.id, c.issuer_id, c.sealed_key from certificates c
  where (c.tenant_id, c.id) > (p_tenant, p_id) and c.revoked_at is null
  order by c.tenant_id, c.id
  limit p_limit
$$;
alter function sealed_keys_after(uuid, uuid, integer) owner to sello_resolver;
revoke execute on function sealed_keys_after(uuid, uuid, integer) from public;
grant execute on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) to sello_app;
comment on function master_keys_in_use(integer) is
  'Issuers: Returns the ids of the master keys under which the newest active signing keys are sealed, as they stand at '
  'their beginning. Only processes of the version before newest_wrapped_keys ask.';
comment on function sealed_keys_after(uuid, uuid, integer) is
  'Issuers: As sealed_keys_to_rotate, without what is active. Only the command of the version before calls it.';
comment on table verified_rucs is
  'Issuers: Which issuer signs for a RUC in an environment, over all tenants: the primary key allows one, so that access keys are '
  'unique. is_open says that nobody holds the claim, and barred_tenants from whom an operator took it. Nothing reads barred_issuer any more.';
comment on function record_foreign_attempt(uuid, uuid, timestamptz, text, text) is
  'Audit log: Writes into the audit log of each tenant of a person that the person named a tenant to which they do '
  'not belong, at most once a minute so that nobody floods the log. note_foreign_attempt calls it, and the API of the '
  'version before.';
