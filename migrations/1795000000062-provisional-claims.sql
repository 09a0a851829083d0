-- A certificate of one's own making names any RUC: only the SRI, which knows who issued it, tells whose it is. So a claim holds
-- once the SRI has authorized a document under it, for as long as its holder can sign; until then it yields to a later one.
-- Whoever is passed over keeps his certificate, and reads of it in his audit log.

create or replace function claim_ruc(p_ruc text, p_environment text, p_tenant uuid, p_issuer uuid, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  if p_tenant is distinct from current_tenant() then
    raise exception 'a RUC is claimed inside its own tenant' using errcode = '42501';
  end if;
  insert into verified_rucs (ruc, environment, tenant_id, issuer_id, verified_at)
  values (p_ruc, p_environment, p_tenant, p_issuer, p_now)
  on conflict (ruc, environment) do nothing;
  select * into held from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment for update;
  if held.tenant_id = p_tenant and held.issuer_id = p_issuer then
    return true;
  end if;
  if exists (select from certificates c where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active and c.valid_to > p_now)
     and exists (
       select from documents d
       where d.tenant_id = held.tenant_id and d.issuer_id = held.issuer_id and d.sri_environment = p_environment and d.authorization_number is not null) then
    return false;
  end if;
  update verified_rucs v set tenant_id = p_tenant, issuer_id = p_issuer, verified_at = p_now where v.ruc = p_ruc and v.environment = p_environment;
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values (held.tenant_id, gen_random_uuid(), p_now, 'system', 'ruc.claim_passed', 'issuer', held.issuer_id, jsonb_build_object('ruc', p_ruc, 'environment', p_environment));
  return true;
end $$;

-- Takes a claim from whoever holds it. An operator's act, who has seen on paper whose the RUC is: the service's role may not
-- call it. False: nobody has claimed the RUC.
create function take_ruc_claim(p_ruc text, p_environment text, p_now timestamptz)
  returns boolean
  language plpgsql security definer set search_path = sello, pg_temp as $$
declare
  held verified_rucs%rowtype;
begin
  delete from verified_rucs v where v.ruc = p_ruc and v.environment = p_environment returning * into held;
  if not found then
    return false;
  end if;
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values (held.tenant_id, gen_random_uuid(), p_now, 'system', 'ruc.claim_taken', 'issuer', held.issuer_id, jsonb_build_object('ruc', p_ruc, 'environment', p_environment));
  return true;
end $$;
grant create on schema sello to sello_resolver;
alter function take_ruc_claim(text, text, timestamptz) owner to sello_resolver;
revoke execute on function take_ruc_claim(text, text, timestamptz) from public;
revoke create on schema sello from sello_resolver;
grant update on verified_rucs to sello_resolver;
