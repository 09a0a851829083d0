-- Whoever is quick enough claimed a RUC that an operator had freed, before the taxpayer whose it is. An operator who has seen whose it
-- is keeps it for their tenant, until the bars are lifted.
alter table verified_rucs add column reserved_for uuid;

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
  if p_tenant = any (held.barred_tenants) or held.reserved_for <> p_tenant then
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

create function reserve_ruc(p_ruc text, p_environment text, p_tenant uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  if not exists (select from tenants t where t.id = p_tenant) then
    return null;
  end if;
  select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  if not found then
    return false;
  end if;
  if held.tenant_id <> p_tenant then
    perform take_ruc_claim(p_ruc, p_environment, p_now);
  end if;
  update verified_rucs v set reserved_for = p_tenant, barred_tenants = array_remove(v.barred_tenants, p_tenant)
  where v.ruc = p_ruc and v.environment = p_environment;
  return true;
end $$;
alter function reserve_ruc(text, text, uuid, timestamptz) owner to sello_resolver;
revoke execute on function reserve_ruc(text, text, uuid, timestamptz) from public;

create or replace function lift_ruc_bars(p_ruc text, p_environment text)
  returns integer
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  barred uuid[];
begin
  select v.barred_tenants into barred from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  update verified_rucs v set barred_tenants = '{}', reserved_for = null where v.ruc = p_ruc and v.environment = p_environment;
  return cardinality(barred);
end $$;

comment on function claim_ruc(text, text, uuid, uuid, timestamptz) is
  'Issuers: Claims a RUC of an environment for an issuer whose certificate names it, and returns whether the issuer holds the claim '
  'now. Another holder loses it only if they have no active certificate that is still valid, or have neither had a document '
  'authorized nor claimed it within the last day; if the claimant has proven the RUC, that day counts for nothing. A tenant from '
  'which an operator took the claim gets false, and so does every other one while the RUC is reserved for a tenant. It raises 42501 '
  'outside the claimant''s own tenant, and locks the row of the claim. The API calls it when a certificate is uploaded or activated.';
comment on function reserve_ruc(text, text, uuid, timestamptz) is
  'Issuers: Reserves a RUC for a tenant, until lift_ruc_bars: takes the claim from another tenant that holds it, and lets no other '
  'claim it. It returns false if nobody ever claimed it, and null without such a tenant. Only the operator may call it, as the owner of the '
  'schema, having seen on paper whose the RUC is.';
comment on function lift_ruc_bars(text, text) is
  'Issuers: Lets every tenant claim a RUC again, those from which it was taken too, also if it was reserved; returns how many it was '
  'taken from, and null if nobody ever claimed it. It locks the row of the claim. Only the operator may call it, as the owner of the '
  'schema.';
