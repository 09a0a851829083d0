-- Products and services that a tenant sells.
create table products (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  -- Compared by code point, so that the order of exports depends on no locale.
  main_code text collate "C" not null,
  aux_code text,
  name text not null,
  -- Unconstrained: a numeric keeps the fractional digits that were given.
  unit_price numeric not null check (unit_price >= 0),
  default_discount numeric not null default 0 check (default_discount >= 0),
  tax_code text not null default '2',
  iva_rate_code text not null,
  applies_tourism_iva boolean not null default false,
  applies_ice boolean not null default false,
  ice_code text,
  additional_fields jsonb not null default '{}' check (jsonb_typeof(additional_fields) = 'object'),
  is_active boolean not null default true,
  deleted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Codes and name in the form that searches compare: lower case, without accents, one a line.
  search_text text not null,
  primary key (tenant_id, id),
  check (not applies_ice or ice_code is not null),
  check (not (is_active and deleted_at is not null))
);
-- A deleted product gives its code free.
create unique index products_main_code on products (tenant_id, main_code) where deleted_at is null;
create index products_newest on products (tenant_id, created_at desc, id desc);
call isolate_tenant_table('products');
grant select, insert, update on products to sello_app;
