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

comment on function claim_ruc(text, text, uuid, uuid, timestamptz) is
  'Issuers: Claims a RUC of an environment for an issuer whose certificate names it, and returns whether the issuer holds the claim '
  'now. Another holder loses it only if they have no active certificate that is still valid, or have neither had a document '
  'authorized nor claimed it within the last day; if the claimant has proven the RUC, that day counts for nothing. A tenant from '
  'which an operator took the claim gets false, and so does every other one while the RUC is reserved for a tenant. It raises 42501 '
  'outside the claimant''s own tenant, and locks the row of the claim. The API calls it when a certificate is uploaded or activated.';
drop function is_issuer_disabled(uuid, uuid);
drop policy resolver_looks on issuers;
revoke select (tenant_id, id, disabled_at) on issuers from sello_resolver;
