create table issuers (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  ruc text not null check (ruc ~ '^\d{13}$'),
  razon_social text not null,
  nombre_comercial text,
  direccion_matriz text not null,
  obligado_contabilidad boolean not null,
  -- Resolution numbers; null where the designation does not apply.
  contribuyente_especial text,
  agente_retencion text,
  gran_contribuyente text,
  regimen_rimpe text not null default 'none' check (regimen_rimpe in ('none', 'entrepreneur', 'popular_business')),
  default_payment_method text not null default '01',
  -- PNG or JPEG that is printed on every document; the present one, also on documents of the past.
  logo bytea check (length(logo) <= 204800),
  -- The tenant's own switch.
  is_active boolean not null default true,
  -- The platform's switch.
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, ruc)
);
call isolate_tenant_table('issuers');
grant select, insert, update on issuers to sello_app;

create table establishments (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  code text not null check (code ~ '^\d{3}$' and code <> '000'),
  name text,
  address text not null,
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, issuer_id, code),
  foreign key (tenant_id, issuer_id) references issuers (tenant_id, id)
);
create unique index establishments_of_issuer on establishments (tenant_id, issuer_id, id);
call isolate_tenant_table('establishments');
grant select, insert, update on establishments to sello_app;

create table emission_points (
  tenant_id uuid not null,
  id uuid not null,
  establishment_id uuid not null,
  code text not null check (code ~ '^\d{3}$' and code <> '000'),
  initial_sequential integer not null default 1 check (initial_sequential between 1 and 999999999),
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, establishment_id, code),
  foreign key (tenant_id, establishment_id) references establishments (tenant_id, id)
);
create unique index emission_points_of_establishment on emission_points (tenant_id, establishment_id, id);
call isolate_tenant_table('emission_points');
grant select, insert, update on emission_points to sello_app;

create table certificates (
  tenant_id uuid not null,
  id uuid not null,
  issuer_id uuid not null,
  subject text not null,
  issuer_name text not null,
  serial_number text not null,
  ruc text not null,
  valid_from timestamptz not null,
  valid_to timestamptz not null,
  -- SHA-256 over the DER, lower-case hex.
  fingerprint_sha256 text not null,
  certificate_der bytea not null,
  -- PKCS#8 key under envelope encryption bound to (tenant, issuer, certificate).
  sealed_key bytea not null,
  is_active boolean not null default false,
  revoked_at timestamptz,
  created_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, issuer_id, fingerprint_sha256),
  foreign key (tenant_id, issuer_id) references issuers (tenant_id, id),
  check (not (is_active and revoked_at is not null))
);
create unique index certificates_one_active on certificates (tenant_id, issuer_id) where is_active;
call isolate_tenant_table('certificates');
grant select, insert, update on certificates to sello_app;

-- One verified issuer per RUC and environment across the platform, so that access keys are unique.
-- Platform-wide on purpose: the primary key is the rule.
create table verified_rucs (
  ruc text not null,
  environment text not null check (environment in ('TEST', 'PRODUCTION')),
  tenant_id uuid not null,
  issuer_id uuid not null,
  verified_at timestamptz not null,
  primary key (ruc, environment)
);
alter table verified_rucs enable row level security;
alter table verified_rucs force row level security;
create policy resolver_claims on verified_rucs to sello_resolver using (true) with check (true);
grant select, insert on verified_rucs to sello_resolver;

-- Claims a RUC for an issuer whose certificate proved it. True when the issuer holds it afterwards.
create function claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is claimed inside its own tenant' using errcode = '42501';
  end if;
  insert into verified_rucs (ruc, environment, tenant_id, issuer_id, verified_at)
  values (p_ruc, p_environment, p_tenant, p_issuer, p_now)
  on conflict (ruc, environment) do nothing;
  return exists (
    select from verified_rucs v
    where v.ruc = p_ruc and v.environment = p_environment and v.tenant_id = p_tenant and v.issuer_id = p_issuer);
end $$;
alter function claim_ruc(text, text, uuid, uuid, timestamptz) owner to sello_resolver;
revoke execute on function claim_ruc(text, text, uuid, uuid, timestamptz) from public;
grant execute on function claim_ruc(text, text, uuid, uuid, timestamptz) to sello_app;

-- Rotation of the master key: an operator's act, as the owner of the schema; the service's role may not call it.
create policy resolver_rotates on certificates to sello_resolver using (true) with check (true);
grant select, update (sealed_key) on certificates to sello_resolver;

-- Sealed keys in the order of their ids, behind the given one; revoked certificates have none.
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

-- Puts a sealed key in the place of the one that was read; false when that one is no longer there.
create function replace_sealed_key(p_tenant uuid, p_id uuid, p_old bytea, p_new bytea) returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  update certificates c set sealed_key = p_new where c.tenant_id = p_tenant and c.id = p_id and c.sealed_key = p_old;
  return found;
end $$;
alter function replace_sealed_key(uuid, uuid, bytea, bytea) owner to sello_resolver;
revoke execute on function replace_sealed_key(uuid, uuid, bytea, bytea) from public;
