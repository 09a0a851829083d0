drop function platform_set_tenant_active(uuid, uuid, boolean, jsonb);
drop function platform_create_tenant(uuid, uuid, text, uuid, text, bytea, timestamptz, timestamptz, jsonb);
drop function platform_tenants(uuid, integer, integer);
drop function require_platform_admin(uuid);
drop function member_cards(uuid);
drop function record_foreign_attempt(uuid, uuid, timestamptz, text, text);
revoke update (is_active) on tenants from sello_resolver;
revoke update (name) on tenants from sello_app;
drop function note_api_key_use(uuid, uuid, timestamptz);
drop function authenticate_api_key(bytea);
create function authenticate_api_key(p_hash bytea)
  returns table (api_key_id uuid, tenant_id uuid, environment text, revoked_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select k.id, k.tenant_id, k.environment, case when t.is_active then k.revoked_at else t.created_at end
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.key_hash = p_hash
$$;
alter function authenticate_api_key(bytea) owner to sello_resolver;
revoke execute on function authenticate_api_key(bytea) from public;
grant execute on function authenticate_api_key(bytea) to sello_app;
drop function record_audit(uuid, jsonb);
