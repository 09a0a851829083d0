-- Who has issued under a RUC has proven it for good: a certificate that ends, or is replaced a day late, forgets nothing. Of two
-- who have proven nothing, the one before keeps a day to do so; and a bar stands until an operator lifts it.

-- From whom an operator took the claim, whatever issuer he makes next. Takes the place of
-- barred_issuer, which nothing reads any more and a later version drops.
alter table verified_rucs add column barred_tenants uuid[] not null default '{}';
-- Of the tables of tenants the resolver alone sees all.
set local role sello_resolver;
update verified_rucs v set barred_tenants = array[c.tenant_id] from certificates c where c.issuer_id = v.barred_issuer;
reset role;

-- Whether the SRI ever authorized a document of an issuer: it knows who issued the certificate, so nobody else gets there. By way
-- of its emission points, which have an index: of a tenant's other documents none is read.
create function has_proven_ruc(p_tenant uuid, p_issuer uuid, p_environment text) returns boolean
  language sql stable set search_path = sello, pg_temp as $$
  select exists (
    select from establishments s
    join emission_points e on e.tenant_id = s.tenant_id and e.establishment_id = s.id
    join documents d on d.tenant_id = e.tenant_id and d.emission_point_id = e.id
    where s.tenant_id = p_tenant and s.issuer_id = p_issuer and d.sri_environment = p_environment and d.authorization_number is not null)
$$;

create or replace function claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  time_to_prove constant interval := interval '1 day';
  held verified_rucs%rowtype;
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is claimed inside its own tenant' using errcode = '42501';
  end if;
  insert into verified_rucs (ruc, environment, tenant_id, issuer_id, verified_at)
  values (p_ruc, p_environment, p_tenant, p_issuer, p_now)
  on conflict (ruc, environment) do nothing;
  select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  if p_tenant = any (held.barred_tenants) then
    return false;
  end if;
  if not held.is_open then
    if held.tenant_id = p_tenant and held.issuer_id = p_issuer then
      return true;
    end if;
    if exists (select from certificates c where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active and c.valid_to > p_now)
       and (has_proven_ruc(held.tenant_id, held.issuer_id, p_environment)
         or held.verified_at > p_now - time_to_prove and not has_proven_ruc(p_tenant, p_issuer, p_environment)) then
      return false;
    end if;
    perform end_ruc_claim(held, 'ruc.claim_passed', p_now);
  end if;
  -- Who leaves and comes again does not begin another day.
  update verified_rucs v set tenant_id = p_tenant, issuer_id = p_issuer, verified_at = case when v.tenant_id = p_tenant then v.verified_at else p_now end, is_open = false
  where v.ruc = p_ruc and v.environment = p_environment;
  return true;
end $$;

-- Opens the claim and keeps who had it since when, and who is barred: neither ends with an issuer.
create or replace function release_ruc(p_tenant uuid, p_issuer uuid) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is released inside its own tenant' using errcode = '42501';
  end if;
  update verified_rucs v set is_open = true where v.tenant_id = p_tenant and v.issuer_id = p_issuer;
end $$;

-- Takes a claim from whoever holds it, who does not get it back until the bar is lifted. An operator's act, who has seen on paper
-- whose the RUC is: the service's role may not call it. False: nobody holds the RUC.
create or replace function take_ruc_claim(p_ruc text, p_environment text, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  update verified_rucs v set is_open = true, barred_tenants = array_append(array_remove(v.barred_tenants, v.tenant_id), v.tenant_id)
  where v.ruc = p_ruc and v.environment = p_environment and not v.is_open
  returning * into held;
  if not found then
    return false;
  end if;
  perform end_ruc_claim(held, 'ruc.claim_taken', p_now);
  return true;
end $$;

-- Lets everybody claim a RUC again from whom it was taken. How many tenants that are; null: nobody ever claimed it.
create function lift_ruc_bars(p_ruc text, p_environment text) returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  barred uuid[];
begin
  select v.barred_tenants into barred from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  update verified_rucs v set barred_tenants = '{}' where v.ruc = p_ruc and v.environment = p_environment;
  return cardinality(barred);
end $$;

grant create on schema sello to sello_resolver;
alter function has_proven_ruc(uuid, uuid, text) owner to sello_resolver;
alter function lift_ruc_bars(text, text) owner to sello_resolver;
revoke execute on function has_proven_ruc(uuid, uuid, text) from public;
revoke execute on function lift_ruc_bars(text, text) from public;
revoke create on schema sello from sello_resolver;
