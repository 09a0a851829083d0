drop function lift_ruc_bars(text, text);
-- The version before knows one bar: of several one stays, and one whose issuer is gone is lost. It takes an open row for a claim
-- that an operator took.
set local role sello_resolver;
update verified_rucs set barred_issuer = null;
update verified_rucs v set barred_issuer = c.issuer_id from certificates c where c.tenant_id = any (v.barred_tenants) and c.ruc = v.ruc;
reset role;
create or replace function take_ruc_claim(p_ruc text, p_environment text, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  update verified_rucs v set is_open = true, barred_issuer = v.issuer_id
  where v.ruc = p_ruc and v.environment = p_environment and not v.is_open
  returning * into held;
  if not found then
    return false;
  end if;
  perform end_ruc_claim(held, 'ruc.claim_taken', p_now);
  return true;
end $$;

create or replace function claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is claimed inside its own tenant' using errcode = '42501';
  end if;
  -- Its issuer may be deleted between the two.
  loop
    insert into verified_rucs (ruc, environment, tenant_id, issuer_id, verified_at)
    values (p_ruc, p_environment, p_tenant, p_issuer, p_now)
    on conflict (ruc, environment) do nothing;
    select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
    exit when found;
  end loop;
  if p_issuer = held.barred_issuer then
    return false;
  end if;
  if held.tenant_id = p_tenant and held.issuer_id = p_issuer then
    return true;
  end if;
  if not held.is_open then
    if exists (select from certificates c where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active and c.valid_to > p_now)
       and exists (
         select from documents d
         where d.tenant_id = held.tenant_id and d.issuer_id = held.issuer_id and d.sri_environment = p_environment
           and d.authorization_number is not null and d.created_at >= held.verified_at) then
      return false;
    end if;
    perform end_ruc_claim(held, 'ruc.claim_passed', p_now);
  end if;
  update verified_rucs v set tenant_id = p_tenant, issuer_id = p_issuer, verified_at = p_now, is_open = false
  where v.ruc = p_ruc and v.environment = p_environment;
  return true;
end $$;

create or replace function release_ruc(p_tenant uuid, p_issuer uuid) returns void
  language plpgsql security definer set search_path = sello, pg_temp as $$
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is released inside its own tenant' using errcode = '42501';
  end if;
  delete from verified_rucs v where v.tenant_id = p_tenant and v.issuer_id = p_issuer;
end $$;
drop function has_proven_ruc(uuid, uuid, text);
alter table verified_rucs drop column barred_tenants;
