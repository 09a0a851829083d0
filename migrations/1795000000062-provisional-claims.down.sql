drop function take_ruc_claim(text, text, timestamptz);
create or replace function claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamptz)
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
drop function end_ruc_claim(verified_rucs, text, timestamptz);
revoke update (is_active) on certificates from sello_resolver;
revoke update on verified_rucs from sello_resolver;
alter table verified_rucs drop column barred_issuer, drop column is_open;
