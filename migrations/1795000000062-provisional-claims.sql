-- A certificate of one's own making names any RUC: only the SRI, which knows who issued it, tells whose it is. So a claim holds
-- once the SRI has authorized a document that was issued under it, for as long as its holder can sign; until then it yields to
-- a later one. One issuer at a time signs for a RUC: whoever loses the claim has no active certificate, and his documents wait.

-- From whom an operator took the claim: that issuer does not claim the RUC again.
alter table verified_rucs add column barred_issuer uuid, add column is_open boolean not null default false;
grant update on verified_rucs to sello_resolver;
grant update (is_active) on certificates to sello_resolver;

-- The holder of a claim loses it: his certificate is no longer active, and his audit log says so.
create function end_ruc_claim(held verified_rucs, p_action text, p_now timestamptz) returns void
  language plpgsql set search_path = sello, pg_temp as $$
begin
  update certificates c set is_active = false where c.tenant_id = held.tenant_id and c.issuer_id = held.issuer_id and c.is_active;
  insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail)
  values (held.tenant_id, gen_random_uuid(), p_now, 'system', p_action, 'issuer', held.issuer_id, jsonb_build_object('ruc', held.ruc, 'environment', held.environment));
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

-- Takes a claim from whoever holds it, who does not get it back unless it is taken from the next. An operator's act, who has
-- seen on paper whose the RUC is: the service's role may not call it. False: nobody holds the RUC.
create function take_ruc_claim(p_ruc text, p_environment text, p_now timestamptz)
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

grant create on schema sello to sello_resolver;
alter function end_ruc_claim(verified_rucs, text, timestamptz) owner to sello_resolver;
alter function take_ruc_claim(text, text, timestamptz) owner to sello_resolver;
revoke execute on function end_ruc_claim(verified_rucs, text, timestamptz) from public;
revoke execute on function take_ruc_claim(text, text, timestamptz) from public;
revoke create on schema sello from sello_resolver;
