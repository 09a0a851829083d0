-- A reset takes the letterhead of a stranger away too: name, reply address and texts that buyers would read as the owner's.
grant select (tenant_id), delete on mail_settings to sello_resolver;
create policy resolver_takes_back on mail_settings to sello_resolver using (true) with check (true);

create or replace function reclaim_tenants(p_user uuid, p_now timestamptz, p_request_id text, p_address text)
  returns void
  language plpgsql set search_path = sello, pg_temp as $$
declare
  place record;
begin
  for place in select m.tenant_id, m.id from members m where m.user_id = p_user and m.invited_by is null order by m.tenant_id loop
    perform from tenants t where t.id = place.tenant_id for no key update;
    if not exists (
      select from members m where m.tenant_id = place.tenant_id and m.id = place.id and m.role = 'tenant_owner' and m.status = 'active') then
      with gone as (
        delete from members m where m.tenant_id = place.tenant_id and m.id = place.id returning m.id, m.role, m.status
      )
      insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
      select place.tenant_id, gen_random_uuid(), p_now, 'system', 'member.removed', 'member', g.id,
        jsonb_build_object('role', g.role, 'status', g.status, 'reason', 'address_unproven'), p_request_id, p_address
      from gone g;
      continue;
    end if;
    with keys as (
      update api_keys k set revoked_at = p_now where k.tenant_id = place.tenant_id and k.revoked_at is null
      returning k.id, jsonb_build_object('name', k.name, 'prefix', k.prefix) as detail
    ), others as (
      delete from members m where m.tenant_id = place.tenant_id and m.id <> place.id
      returning m.id, jsonb_build_object('role', m.role, 'status', m.status) as detail
    ), hooks as (
      update webhooks w set deleted_at = p_now, is_active = false, updated_at = p_now where w.tenant_id = place.tenant_id and w.deleted_at is null
      returning w.id, '{}'::jsonb as detail
    ), letterhead as (
      delete from mail_settings s where s.tenant_id = place.tenant_id
      returning s.tenant_id as id, '{}'::jsonb as detail
    ), gone as (
      select 'api_key.revoked' as action, 'api_key' as kind, k.id, k.detail from keys k
      union all select 'member.removed', 'member', o.id, o.detail from others o
      union all select 'webhook.deleted', 'webhook', h.id, h.detail from hooks h
      union all select 'mail_settings.changed', 'tenant', l.id, l.detail from letterhead l
    )
    insert into audit_log (tenant_id, id, at, actor_kind, action, target_kind, target_id, detail, request_id, address)
    select place.tenant_id, gen_random_uuid(), p_now, 'system', g.action, g.kind, g.id, g.detail || '{"reason": "address_unproven"}', p_request_id, p_address from gone g;
    delete from webhook_secrets s where s.tenant_id = place.tenant_id;
  end loop;
end $$;
