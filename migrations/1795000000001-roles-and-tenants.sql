-- Roles. The owner runs migrations; the service acts as sello_app, which owns nothing.
--   sello_app       API and worker: sees one tenant at a time (row security)
--   sello_worker    owns the functions that walk the cross-tenant work table
--   sello_resolver  owns the functions that run before a tenant is known
do $$
declare
  role_name text;
begin
  foreach role_name in array array['sello_app', 'sello_worker', 'sello_resolver'] loop
    begin
      execute format('create role %I nologin', role_name);
    exception when duplicate_object or unique_violation then
      null; -- roles belong to the cluster: another database created it
    end;
    if not pg_has_role(current_user, role_name, 'member') then
      execute format('grant %I to current_user', role_name);
    end if;
  end loop;
end $$;

grant usage on schema sello to sello_app, sello_worker, sello_resolver;
grant create on schema sello to sello_worker, sello_resolver;

-- The tenant of the running transaction; null (no rows) when none is set.
create function current_tenant() returns uuid
  language sql stable parallel safe
  return nullif(current_setting('sello.tenant_id', true), '')::uuid;

-- Forces row security on a tenant-owned table: reads and writes see only the current tenant.
create procedure isolate_tenant_table(p_table regclass, p_column text default 'tenant_id')
  language plpgsql as $$
begin
  execute format('alter table %s enable row level security', p_table);
  execute format('alter table %s force row level security', p_table);
  execute format(
    'create policy tenant_isolation on %s to sello_app using (%I = current_tenant()) with check (%I = current_tenant())',
    p_table, p_column, p_column);
end $$;

create table tenants (
  id uuid primary key,
  name text not null,
  is_active boolean not null default true,
  created_at timestamptz not null
);
call isolate_tenant_table('tenants', 'id');
create policy resolver_creates on tenants to sello_resolver using (true) with check (true);
grant select on tenants to sello_app;
grant select, insert on tenants to sello_resolver;

create table api_keys (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  name text not null,
  -- What a list shows of the key, e.g. svc_test_aB3d…
  prefix text not null,
  key_hash bytea not null,
  environment text not null check (environment in ('TEST', 'PRODUCTION')),
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);
create unique index api_keys_hash on api_keys (tenant_id, key_hash);
create index api_keys_lookup on api_keys (key_hash);
call isolate_tenant_table('api_keys');
create policy resolver_looks_up on api_keys to sello_resolver using (true) with check (true);
grant select, insert, update on api_keys to sello_app;
grant select, insert on api_keys to sello_resolver;

-- Key look-up before the tenant is known. Returns the row also when revoked: the caller decides.
create function authenticate_api_key(p_hash bytea)
  returns table (api_key_id uuid, tenant_id uuid, environment text, revoked_at timestamptz)
  language sql stable security definer set search_path = sello, pg_temp as $$
  select k.id, k.tenant_id, k.environment, case when t.is_active then k.revoked_at else t.created_at end
  from api_keys k join tenants t on t.id = k.tenant_id
  where k.key_hash = p_hash
$$;
alter function authenticate_api_key(bytea) owner to sello_resolver;

-- Creates a tenant with its first API key. An operator's act: the service's role may not call it.
create function provision_tenant(
  p_tenant uuid, p_name text, p_api_key uuid, p_key_name text, p_prefix text, p_hash bytea, p_environment text, p_now timestamptz)
  returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into tenants (id, name, created_at) values (p_tenant, p_name, p_now);
  insert into api_keys (tenant_id, id, name, prefix, key_hash, environment, created_at)
  values (p_tenant, p_api_key, p_key_name, p_prefix, p_hash, p_environment, p_now);
end $$;
alter function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz) owner to sello_resolver;
revoke execute on function provision_tenant(uuid, text, uuid, text, text, bytea, text, timestamptz) from public;
revoke execute on function authenticate_api_key(bytea) from public;
grant execute on function authenticate_api_key(bytea) to sello_app;

-- Which of the SRI's environments this database belongs to: the first process that starts on it says so. Numbers,
-- certificates and due work of the two environments must never meet, so a process of the other one does not start.
create table deployment (
  is_only_row boolean primary key default true check (is_only_row),
  environment text not null check (environment in ('TEST', 'PRODUCTION'))
);
alter table deployment enable row level security;
alter table deployment force row level security;
create policy resolver_binds on deployment to sello_resolver using (true) with check (true);
grant select, insert on deployment to sello_resolver;

-- Binds the database to an environment unless it is bound already; returns the one it is bound to.
create function bind_environment(p_environment text) returns text
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  insert into deployment (environment) values (p_environment) on conflict do nothing;
  return (select d.environment from deployment d);
end $$;
alter function bind_environment(text) owner to sello_resolver;
revoke execute on function bind_environment(text) from public;
grant execute on function bind_environment(text) to sello_app;
