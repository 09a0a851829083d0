create or replace function provision_tenant(
  p_tenant uuid, p_name text, p_api_key uuid, p_key_name text, p_prefix text, p_hash bytea, p_environment text, p_now timestamptz)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at)
  values (p_tenant, p_api_key, p_key_name, p_prefix, p_hash, p_environment, p_now);
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values
    (p_tenant, gen_random_uuid(), p_now, 'system', 'tenant.founded', 'tenant', p_tenant, '{}'),
    (p_tenant, gen_random_uuid(), p_now, 'system', 'api_key.created', 'api_key', p_api_key, jsonb_build_object('name', p_key_name, 'prefix', p_prefix));
end $$;
comment on function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz) is
  'Tenants: Creates a tenant with its first API key, of which only the hash is kept, and begins its audit log with '
  'both. Only the operator may call it, as the owner of the schema: it is no act of the service, and sello_app may not '
  'execute it.';
