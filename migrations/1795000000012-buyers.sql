-- Whom the tenant deals with: kept by people, and learned from authorized documents.
create table buyers (
  tenant_id uuid not null references tenants (id),
  id uuid not null,
  -- Codes of the SRI; the final consumer is nobody.
  buyer_id_type text not null check (buyer_id_type in ('04', '05', '06', '08')),
  buyer_id text not null,
  legal_name text not null,
  trade_name text,
  address text,
  email text,
  notes text,
  is_active boolean not null default true,
  -- Fields that a person has set, also to nothing: documents leave them alone.
  kept_fields text[] not null default '{}',
  -- What the SRI's registry says; people do not write it.
  contributor_status text,
  contributor_type text,
  sri_last_verified_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Both names in search_form(), line by line.
  search_names text not null generated always as (
    lower(regexp_replace(normalize(legal_name || chr(10) || coalesce(trade_name, ''), nfkd), '[\u0300-\u036f]', '', 'g'))) stored,
  primary key (tenant_id, id)
);
create unique index buyers_identification on buyers (tenant_id, buyer_id_type, buyer_id);
create index buyers_by_number on buyers (tenant_id, buyer_id);
create index buyers_newest on buyers (tenant_id, created_at desc, id desc);
call isolate_tenant_table('buyers');
grant select, insert, update, delete on buyers to sello_app;

-- One row per authorized document and its buyer, so that counting a buyer's documents needs no counter that all workers
-- would wait for. It outlives the profile and refers to none: a reference would lock the profile with every document.
create table buyer_documents (
  tenant_id uuid not null,
  buyer_id_type text not null,
  buyer_id text not null,
  document_id uuid not null,
  authorized_at timestamptz not null,
  primary key (tenant_id, buyer_id_type, buyer_id, document_id),
  foreign key (tenant_id, document_id) references documents (tenant_id, id)
);
call isolate_tenant_table('buyer_documents');
grant select, insert on buyer_documents to sello_app;

-- Learns the buyer of a document that the SRI authorized, in the transaction that says so, hence never while a number is
-- taken. A known profile is only touched where it lacks what the document says and no person has set that field: an
-- update without such a row locks nothing, so documents of the same buyer do not wait for each other.
create function learn_buyer() returns trigger
  language plpgsql as $$
begin
  insert into buyer_documents (tenant_id, buyer_id_type, buyer_id, document_id, authorized_at)
  values (new.tenant_id, new.buyer_id_type, new.buyer_id, new.id, new.updated_at)
  on conflict do nothing;
  if not found then return null; end if;
  insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, address, email, created_at, updated_at)
  values (new.tenant_id, gen_random_uuid(), new.buyer_id_type, new.buyer_id, new.buyer_name, new.buyer_address, new.buyer_email, new.updated_at, new.updated_at)
  on conflict do nothing;
  if found then
    perform verify_buyers(new.tenant_id, ruc_of(new.buyer_id_type, new.buyer_id));
  else
    update buyers b set
      address = case when 'address' = any (b.kept_fields) then b.address else coalesce(b.address, new.buyer_address) end,
      email = case when 'email' = any (b.kept_fields) then b.email else coalesce(b.email, new.buyer_email) end,
      updated_at = new.updated_at
    where b.tenant_id = new.tenant_id and b.buyer_id_type = new.buyer_id_type and b.buyer_id = new.buyer_id
      and (b.address is null and new.buyer_address is not null and not 'address' = any (b.kept_fields)
           or b.email is null and new.buyer_email is not null and not 'email' = any (b.kept_fields));
  end if;
  return null;
end $$;
create trigger learn_buyer after update of status on documents
  for each row when (new.status = 'AUTHORIZED' and old.status <> 'AUTHORIZED' and new.buyer_id_type <> '07'
    and new.buyer_id is not null and new.buyer_name is not null)
  execute function learn_buyer();

-- What was authorized before buyers were learned. The owner of the tables sees all tenants only while row security is
-- not forced on it.
alter table documents no force row level security;
alter table buyers no force row level security;
alter table buyer_documents no force row level security;
insert into buyer_documents (tenant_id, buyer_id_type, buyer_id, document_id, authorized_at)
select d.tenant_id, d.buyer_id_type, d.buyer_id, d.id, coalesce(d.authorization_date, d.updated_at) from documents d
where d.authorization_number is not null and d.buyer_id_type <> '07' and d.buyer_id is not null and d.buyer_name is not null;
insert into buyers (tenant_id, id, buyer_id_type, buyer_id, legal_name, address, email, created_at, updated_at)
select distinct on (d.tenant_id, d.buyer_id_type, d.buyer_id)
  d.tenant_id, gen_random_uuid(), d.buyer_id_type, d.buyer_id, d.buyer_name, d.buyer_address, d.buyer_email, d.updated_at, d.updated_at
from documents d
where d.authorization_number is not null and d.buyer_id_type <> '07' and d.buyer_id is not null and d.buyer_name is not null
order by d.tenant_id, d.buyer_id_type, d.buyer_id, d.created_at desc;
alter table documents force row level security;
alter table buyers force row level security;
alter table buyer_documents force row level security;

-- What the SRI's public registry answered, for all tenants: nothing in it is a tenant's. Reached through the two
-- functions below only.
create table taxpayers (
  ruc text primary key check (ruc ~ '^\d{13}$'),
  -- False: the registry said that there is no such taxpayer.
  found boolean not null,
  legal_name text,
  trade_name text,
  contributor_status text,
  contributor_type text,
  address text,
  verified_at timestamptz not null,
  check (found = (legal_name is not null))
);
alter table taxpayers enable row level security;
alter table taxpayers force row level security;
create policy resolver_remembers on taxpayers to sello_resolver using (true) with check (true);
grant select, insert, update on taxpayers to sello_resolver;

create function recall_taxpayer(p_ruc text) returns setof taxpayers
  language sql stable security definer set search_path = sello, pg_temp as $$
  select * from taxpayers t where t.ruc = p_ruc
$$;
alter function recall_taxpayer(text) owner to sello_resolver;
revoke execute on function recall_taxpayer(text) from public;
grant execute on function recall_taxpayer(text) to sello_app;

-- Of two answers the later one stays.
create function remember_taxpayer(
  p_ruc text, p_found boolean, p_legal_name text, p_trade_name text, p_contributor_status text, p_contributor_type text,
  p_address text, p_verified_at timestamptz) returns void
  language sql security definer set search_path = sello, pg_temp as $$
  insert into taxpayers as t values (p_ruc, p_found, p_legal_name, p_trade_name, p_contributor_status, p_contributor_type, p_address, p_verified_at)
  on conflict (ruc) do update set
    found = excluded.found, legal_name = excluded.legal_name, trade_name = excluded.trade_name,
    contributor_status = excluded.contributor_status, contributor_type = excluded.contributor_type,
    address = excluded.address, verified_at = excluded.verified_at
  where t.verified_at < excluded.verified_at
$$;
alter function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz) owner to sello_resolver;
revoke execute on function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz) from public;
grant execute on function remember_taxpayer(text, boolean, text, text, text, text, text, timestamptz) to sello_app;

-- The taxpayer's number in the registry behind an identification: a RUC's first establishment, or a person's cédula with
-- it; null for passports and foreign identifications.
create function ruc_of(p_id_type text, p_id text) returns text
  language sql immutable parallel safe as $$
  select case when p_id_type in ('04', '05') then left(p_id, 10) || '001' end
$$;

-- Brings what the registry is known to have said into the tenant's profiles of a taxpayer; what people typed stays.
create function verify_buyers(p_tenant uuid, p_ruc text) returns void
  language sql as $$
  update buyers b set contributor_status = t.contributor_status, contributor_type = t.contributor_type, sri_last_verified_at = t.verified_at
  from recall_taxpayer(p_ruc) t
  where b.tenant_id = p_tenant and b.buyer_id in (p_ruc, left(p_ruc, 10)) and ruc_of(b.buyer_id_type, b.buyer_id) = p_ruc
    and t.found and (b.sri_last_verified_at is null or b.sri_last_verified_at < t.verified_at)
$$;
